package import HTTPTypes
internal import Platform

extension Request {
  /// Whether the client prefers an HTML page to JSON, as a browser does when it loads a page.
  ///
  /// A client without a preference, such as curl or `fetch`, gets JSON. Text browsers have none
  /// either: they name HTML beside types that include JSON, or accept everything. So HTML has
  /// precedence where it is named, and for the form of a page.
  package var prefersHTML: Bool {
    prefersHTML(
      unweighted: method == .post
        && (fields.list(.contentType, contains: "application/x-www-form-urlencoded")
          || fields.list(.contentType, contains: "multipart/form-data"))
    )
  }

  /// Whether the client prefers HTML as the response to a link in a mail.
  ///
  /// As ``prefersHTML``, but a browser that accepts everything also prefers it without a form.
  package var prefersHTMLOfLink: Bool { prefersHTML(unweighted: true) }

  private func prefersHTML(unweighted isOfPage: @autoclosure () -> Bool) -> Bool {
    guard fields.count(of: .accept) > 0 else { return false }
    let accepted = QualityList(fields.values(of: .accept))
    let html = accepted.quality(of: "text/html")
    let json = accepted.quality(of: "application/json")
    guard html == json else { return html > json }
    return html > 0
      && (accepted.items.contains { $0.range == "text/html" } || isOfPage() && isOfTextBrowser)
  }

  /// Whether a browser without scripts has sent the request.
  ///
  /// It names a language, or a page of the service, as hardly any program does. A script's request
  /// has an origin or a fetch mode; some programs send those, or `*` as their language.
  private var isOfTextBrowser: Bool {
    guard fields.count(of: .origin) == 0,
      fields.first(.secFetchMode).map({ $0 == "navigate" }) ?? true
    else { return false }
    return QualityList(fields.values(of: .acceptLanguage)).items
      .contains { $0.range != "*" && $0.quality > 0 }
      || fields.first(.referer).flatMap { WebOrigin(ofURL: $0) }.map(isFor) ?? false
  }

  /// Returns the language that the client prefers; the first of the available ones is the default.
  package func preferredLanguage(of languages: [String]) -> String? {
    let wanted = QualityList(fields.values(of: .acceptLanguage)).items
      .filter { $0.quality > 0 }
      .enumerated()
      .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
    for (_, item) in wanted {
      if item.range == "*" { break }
      if let language = LanguageRange.lookUp(item.range, in: languages) { return language }
    }
    return languages.first
  }
}

extension QualityList {
  /// Returns the weight of a media type; the most specific range counts (RFC 9110 §12.5.1).
  fileprivate func quality(of mediaType: String) -> Int {
    let family = mediaType.prefix { $0 != "/" } + "/*"
    for range in [mediaType, String(family), "*/*"] {
      if let item = items.first(where: { $0.range == range }) { return item.quality }
    }
    return 0
  }
}

extension Request {
  /// Returns whether a field such as `If-None-Match` or `If-Match` names a tag, or any with `*`.
  ///
  /// The comparison is weak (RFC 9110 §8.8.3.2), because no tag of a service is. A proxy that
  /// compresses a response may have made its tag weak, or added the coding.
  package func names(_ tag: String, in field: HTTPField.Name) -> Bool {
    fields.values(of: field).contains { value in
      value.utf8.trimmed.elementsEqual("*".utf8)
        || value.utf8.split(separator: UInt8(ascii: ","), maxSplits: 32).prefix(32).contains {
          part in
          let given = part.trimmed
          let strong = given.starts(with: "W/".utf8) ? given.dropFirst(2) : given
          return strong.elementsEqual(tag.utf8) || Self.isCoded(Substring(strong), tag)
        }
    }
  }

  /// Returns whether a tag is another one with the name of a coding, as proxies write it.
  private static func isCoded(_ given: Substring, _ tag: String) -> Bool {
    let opaque = tag.dropLast()
    guard given.hasPrefix(opaque) else { return false }
    let rest = given.dropFirst(opaque.count)
    return ["gzip", "br", "zstd", "deflate"].contains { coding in
      ["-\(coding)\"", "--\(coding)\"", ";\(coding)\"", "\"-\(coding)"].contains { $0 == rest }
    }
  }
}

/// The preferences of a client: the weighted items of `Accept` or `Accept-Language` (RFC 9110
/// §12.4.2).
package struct QualityList: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    /// The media range or the language range in lower case, without parameters.
    package let range: String
    /// The weight in thousandths, from 0 (not acceptable) to 1000.
    package let quality: Int
  }

  /// No client has more preferences.
  private static let maximumCount = 32
  /// A media type has at most 255 bytes (RFC 6838 §4.2), and no client sends that many parameters.
  private static let maximumItemBytes = 255
  /// The maximum number of parameters of an item, including its weight.
  private static let maximumParameterCount = 8

  package let items: [Item]

  /// Parses the values of a header field; ignores items that are not well-formed or too long.
  package init(_ values: [String]) {
    var items: [Item] = []
    var count = 0
    for var value in values {
      value.withUTF8 { bytes in
        var rest = bytes[...]
        while count < Self.maximumCount {
          count += 1
          let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
          if let item = Self.item(rest[..<end]) { items.append(item) }
          guard end < rest.endIndex else { break }
          rest = rest[(end + 1)...]
        }
      }
    }
    self.items = items
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private static func item(_ text: Bytes) -> Item? {
    guard text.count <= maximumItemBytes else { return nil }
    let end = text.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
    let range = text[..<end].trimmed
    guard !range.isEmpty else { return nil }
    var quality: Int? = 1000
    var rest = text[end...]
    var count = 0
    // Of several weights among the parameters, the last one counts.
    while !rest.isEmpty {
      count += 1
      guard count <= maximumParameterCount else { return nil }
      rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
      let start = rest.startIndex
      if end - start >= 2, rest[start] | 0x20 == UInt8(ascii: "q"),
        rest[start + 1] == UInt8(ascii: "=")
      {
        quality = Self.quality(rest[(start + 2)..<end].trimmed)
      }
      rest = rest[end...]
    }
    guard let quality else { return nil }
    return Item(range: String(asciiLowercasing: range), quality: quality)
  }

  /// Parses a weight: `0` or `1`, with up to three digits after the decimal point.
  private static func quality(_ text: Bytes) -> Int? {
    guard let first = text.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else {
      return nil
    }
    var fraction = 0
    let rest = text.dropFirst()
    if let point = rest.first {
      let digits = rest.dropFirst()
      guard point == UInt8(ascii: "."), digits.count <= 3, digits.allSatisfy({ $0.isASCIIDigit })
      else { return nil }
      for digit in digits { fraction = fraction * 10 + Int(digit & 15) }
      for _ in digits.count..<3 { fraction *= 10 }
    }
    return first == UInt8(ascii: "0") ? fraction : fraction == 0 ? 1000 : nil
  }
}

extension Request {
  /// Returns whether the content has a media type, in UTF-8 if it says a character set.
  ///
  /// - Parameter mediaType: The type in lower case; what is sent may have any case, and parameters
  ///   (RFC 9110 §8.3.1).
  package func hasContent(of mediaType: String) -> Bool {
    guard var value = fields.first(.contentType), let sent = value.withUTF8(MediaType.init) else {
      return false
    }
    return sent.value == mediaType && sent.isUTF8
  }
}

/// A field value with parameters, such as `form-data; name="email"` (RFC 9110 §5.6.6).
struct MediaType {
  /// The maximum number of parameters; no media type has more.
  static let maximumCount = 16

  /// The value without its parameters, in lower case.
  let value: String
  private var parameters: [(name: String, value: String)] = []

  /// Ignores parameters that are not well-formed; returns `nil` if there are too many.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var end = Self.endOfPiece(in: bytes, from: start)
    value = Self.text(bytes[start..<end].trimmed).lowercased()
    var count = 0
    while end < bytes.count {
      count += 1
      guard count <= Self.maximumCount else { return nil }
      start = end + 1
      end = Self.endOfPiece(in: bytes, from: start)
      let piece = bytes[start..<end]
      guard let separator = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
      parameters.append(
        (
          Self.text(piece[..<separator].trimmed).lowercased(),
          Self.unquoted(piece[(separator + 1)...].trimmed)
        ))
    }
  }

  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Whether no other character set than UTF-8 is named.
  var isUTF8: Bool {
    parameters.allSatisfy { $0.name != "charset" || $0.value.lowercased() == "utf-8" }
  }

  /// Returns the index of the next semicolon outside quotation marks, or the end.
  private static func endOfPiece(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var isQuoted = false
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ";") where !isQuoted: return index
      default: break
      }
      index += 1
    }
    return bytes.count
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func unquoted(_ bytes: Bytes) -> String {
    let quote = UInt8(ascii: "\"")
    guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return text(bytes) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var isEscaped = false
    for byte in bytes.dropFirst().dropLast() {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        result.append(byte)
        isEscaped = false
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
