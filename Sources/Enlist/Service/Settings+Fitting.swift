extension Settings {
  /// What the process takes without connections: code, the database's cache, event history.
  private static let baseBytes = 40 << 20
  /// What a connection takes in the worst case.
  ///
  /// Its memory in libmicrohttpd, the buffers of its socket in the kernel, and what is kept about it;
  /// TLS adds a session.
  private static let plainConnectionBytes = 40 << 10
  private static let secureConnectionBytes = 64 << 10

  /// Lowers the numbers of connections and streams, and the memory for bodies, until they fit what
  /// there is, and streams to half of the connections, so that they leave some for requests.
  ///
  /// - Parameters:
  ///   - descriptors: How many descriptors may be open.
  ///   - memoryBytes: How much memory the container has; `nil` is no limit.
  /// - Returns: The warnings to log, one for each reason.
  mutating func fit(descriptors: Int, memoryBytes: Int?) -> [String] {
    var warnings: [String] = []
    let room = max(descriptors - DescriptorLimit.reserve(loopCount: threads), 1)
    lower("only \(descriptors) descriptors may be open", &warnings) { settings in
      settings.maxConnections = min(settings.maxConnections, room)
    }
    if let memoryBytes {
      let mebibytes = memoryBytes >> 20
      lower("the container has only \(mebibytes) MiB of memory", &warnings) { settings in
        let bytes = max(memoryBytes - Self.baseBytes, 0)
        settings.bodyMemory.bytes = min(settings.bodyMemory.bytes, max(bytes / 4, 65_536))
        let connectionBytes =
          settings.tlsCertificate == nil
          ? Self.plainConnectionBytes : Self.secureConnectionBytes
        let count = (bytes - settings.bodyMemory.bytes) / connectionBytes
        settings.maxConnections = min(settings.maxConnections, max(count, 16))
      }
    }
    lower("half of the connections are kept for requests", &warnings) { settings in
      settings.maxStreams = min(settings.maxStreams, settings.maxConnections / 2)
    }
    return warnings
  }

  /// Makes a change, and the streams fit the connections; says what has become lower and why.
  private mutating func lower(
    _ reason: String,
    _ warnings: inout [String],
    _ change: (inout Settings) -> Void
  ) {
    let before = self
    change(&self)
    if maxConnections < before.maxConnections {
      maxStreams = min(maxStreams, maxConnections / 2)
    }
    var changes: [String] = []
    if maxConnections < before.maxConnections {
      changes.append("max-connections from \(before.maxConnections) to \(maxConnections)")
    }
    if maxStreams < before.maxStreams {
      changes.append("max-streams from \(before.maxStreams) to \(maxStreams)")
    }
    if bodyMemory.bytes < before.bodyMemory.bytes {
      changes.append("body-memory from \(before.bodyMemory.bytes) to \(bodyMemory.bytes) bytes")
    }
    guard !changes.isEmpty else { return }
    warnings.append("\(reason): lowered \(changes.joined(separator: ", "))")
  }
}
