extension Settings {
  /// The memory that the process needs without connections: code, database cache, event history.
  private static let baseBytes = 40 << 20
  /// The memory that a connection needs in the worst case.
  ///
  /// This includes its memory in libmicrohttpd, its socket buffers in the kernel and its state in
  /// the service; TLS adds a session.
  private static let plainConnectionBytes = 40 << 10
  private static let secureConnectionBytes = 64 << 10

  /// Lowers the limits on connections, streams and body memory to fit the process's resources.
  ///
  /// Streams are limited to half of the connections, so that the rest is available for requests.
  /// `memoryBytes` is `nil` without a limit.
  mutating func fit(descriptors: Int, memoryBytes: Int?) -> [String] {
    var warnings: [String] = []
    lower("limited to \(descriptors) file descriptors", &warnings) { settings in
      // At most an eighth of the descriptors, so that most of them remain for sign-ups.
      let operatorConnections = settings.lowerOperatorConnections(to: descriptors / 8)
      let reserve = DescriptorLimit.reserve(
        loopCount: settings.threads, operatorConnections: operatorConnections)
      settings.maxConnections = min(settings.maxConnections, max(descriptors - reserve, 1))
    }
    if let memoryBytes {
      let mebibytes = memoryBytes >> 20
      lower("limited to \(mebibytes) MiB of memory", &warnings) { settings in
        let connectionBytes =
          settings.tlsCertificate == nil
          ? Self.plainConnectionBytes : Self.secureConnectionBytes
        let room = max(memoryBytes - Self.baseBytes, 0)
        let operatorConnections =
          settings.lowerOperatorConnections(to: room / 4 / connectionBytes) ?? 0
        let bytes = max(room - operatorConnections * connectionBytes, 0)
        settings.bodyMemory.bytes = min(settings.bodyMemory.bytes, max(bytes / 4, 65_536))
        let count = (bytes - settings.bodyMemory.bytes) / connectionBytes
        settings.maxConnections = min(settings.maxConnections, max(count, 16))
      }
    }
    lower("half of the connections are reserved for requests", &warnings) { settings in
      settings.maxStreams = min(settings.maxStreams, settings.maxConnections / 2)
    }
    return warnings
  }

  /// Lowers the limit on connections of the operator's listener, to 1 at least, and returns it;
  /// `nil` without that listener.
  private mutating func lowerOperatorConnections(to count: Int) -> Int? {
    guard self.operatorListen != nil else { return nil }
    self.operatorMaxConnections = min(self.operatorMaxConnections, max(count, 1))
    return self.operatorMaxConnections
  }

  /// Applies a change, limits the streams to half of the connections, and adds a warning that lists
  /// every lowered setting.
  private mutating func lower(
    _ reason: String, _ warnings: inout [String], _ change: (inout Settings) -> Void
  ) {
    let before = self
    change(&self)
    if self.maxConnections < before.maxConnections {
      self.maxStreams = min(self.maxStreams, self.maxConnections / 2)
    }
    var changes: [String] = []
    if self.maxConnections < before.maxConnections {
      changes.append("max-connections from \(before.maxConnections) to \(self.maxConnections)")
    }
    if self.maxStreams < before.maxStreams {
      changes.append("max-streams from \(before.maxStreams) to \(self.maxStreams)")
    }
    if self.bodyMemory.bytes < before.bodyMemory.bytes {
      changes.append(
        "body-memory from \(before.bodyMemory.bytes) to \(self.bodyMemory.bytes) bytes")
    }
    if self.operatorMaxConnections < before.operatorMaxConnections {
      changes.append(
        "operator-max-connections from \(before.operatorMaxConnections) to \(self.operatorMaxConnections)"
      )
    }
    guard !changes.isEmpty else { return }
    warnings.append("\(reason); lowering \(changes.joined(separator: ", "))")
  }
}
