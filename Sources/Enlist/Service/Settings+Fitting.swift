extension Settings {
  /// The memory that the process needs without connections: code, database cache, event history.
  private static let baseBytes = 40 << 20

  /// Lowers limits to fit the process's resources, and returns a warning for each reason.
  ///
  /// Half of the connections are for requests, most descriptors are for sign-ups, and the program has
  /// a reserve of 64 descriptors, and 32 for each event loop, of which the operator's is one.
  mutating func fit(descriptors: Int, memoryBytes: Int?) -> [String] {
    var warnings: [String] = []
    let hasOperator = self.operatorListen != nil
    lower("limited to \(descriptors) file descriptors", &warnings) { settings in
      settings.operatorMaxConnections.lower(to: hasOperator ? max(descriptors / 8, 1) : .max)
      let operatorReserve = hasOperator ? 32 + settings.operatorMaxConnections : 0
      let reserve = 64 + 32 * settings.threads + operatorReserve
      settings.maxConnections.lower(to: max(descriptors - reserve, 1))
    }
    if let memoryBytes {
      lower("limited to \(memoryBytes >> 20) MiB of memory", &warnings) { settings in
        // At worst, with libmicrohttpd's pool and the kernel's buffers; TLS adds a session.
        let connectionBytes = (settings.tlsCertificate == nil ? 40 : 64) << 10
        let room = max(memoryBytes - Self.baseBytes, 0)
        settings.operatorMaxConnections
          .lower(to: hasOperator ? max(room / 4 / connectionBytes, 1) : .max)
        let operatorBytes = hasOperator ? settings.operatorMaxConnections * connectionBytes : 0
        let bytes = max(room - operatorBytes, 0)
        settings.bodyMemory.lower(to: max(bytes / 4, 65_536))
        settings.maxConnections.lower(to: max((bytes - settings.bodyMemory) / connectionBytes, 16))
      }
    }
    lower("half of the connections are reserved for requests", &warnings) { settings in
      settings.maxStreams.lower(to: settings.maxConnections / 2)
    }
    return warnings
  }

  private mutating func lower(
    _ reason: String, _ warnings: inout [String], _ change: (inout Settings) -> Void
  ) {
    let before = self
    change(&self)
    if self.maxConnections < before.maxConnections {
      self.maxStreams.lower(to: self.maxConnections / 2)
    }
    let changes = [
      ("max-connections", before.maxConnections, self.maxConnections, ""),
      ("max-streams", before.maxStreams, self.maxStreams, ""),
      ("body-memory", before.bodyMemory, self.bodyMemory, " bytes"),
      ("operator-max-connections", before.operatorMaxConnections, self.operatorMaxConnections, ""),
    ].filter { $0.2 < $0.1 }.map { "\($0.0) from \($0.1) to \($0.2)\($0.3)" }
    guard !changes.isEmpty else { return }
    warnings.append("\(reason); lowering \(changes.joined(separator: ", "))")
  }
}

extension Int {
  fileprivate mutating func lower(to limit: Int) { self = Swift.min(self, limit) }
}
