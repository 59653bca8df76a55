internal import Platform

/// The pattern of a route's path: segments to compare, and named parameters.
package struct RoutePattern: Sendable {
  private enum Segment {
    /// A segment that must be equal, byte by byte.
    case fixed(String)
    /// Any nonempty segment.
    case parameter(name: String)
  }

  /// The pattern as written, for example `/executions/{id}`.
  package let text: String
  /// Whether any segment is a parameter.
  package let hasParameters: Bool
  private let segments: [Segment]
  /// The text before the first parameter.
  private let prefix: String

  /// Parses a pattern, in which a segment in braces is a parameter.
  package init(_ text: String) {
    self.text = text
    prefix = String(text.prefix { $0 != "{" })
    let segments: [Segment] = text.split(separator: "/", omittingEmptySubsequences: false)
      .map { segment in
        segment.hasPrefix("{") && segment.hasSuffix("}")
          ? .parameter(name: String(segment.dropFirst().dropLast())) : .fixed(String(segment))
      }
    self.segments = segments
    hasParameters = segments.contains { segment in
      switch segment {
      case .fixed: false
      case .parameter: true
      }
    }
  }

  /// Returns whether the pattern matches a path; allocates nothing.
  package func matches(_ path: String) -> Bool {
    // Most paths differ from the pattern before its first parameter.
    path.starts(withBytesOf: prefix) && match(path) { _, _ in }
  }

  /// Returns the parameters of a path that the pattern matches, in the order of the pattern.
  ///
  /// Without parameters in the pattern, nothing is allocated.
  func parameters(of path: String) -> [RoutedExchange.Parameter] {
    guard hasParameters else { return [] }
    var parameters: [RoutedExchange.Parameter] = []
    _ = match(path) { name, value in
      parameters.append(RoutedExchange.Parameter(name: name, value: value))
    }
    return parameters
  }

  /// Compares a path with the pattern, and calls `bind` with each parameter.
  ///
  /// The comparison ends at the first segment that differs: a hostile path may consist of thousands
  /// of slashes.
  private func match(_ path: String, _ bind: (String, Substring) -> Void) -> Bool {
    var rest = path[...].utf8
    for (index, segment) in segments.enumerated() {
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let value = rest[..<end]
      switch segment {
      case .fixed(let text):
        guard value.elementsEqual(text.utf8) else { return false }
      case .parameter(let name):
        guard !value.isEmpty else { return false }
        bind(name, Substring(value))
      }
      let isLast = index == segments.count - 1
      guard (end == rest.endIndex) == isLast else { return false }
      if !isLast { rest = rest[rest.index(after: end)...] }
    }
    return true
  }
}
