/// When a stream is due for a heartbeat, and for its end: a little different for each, so that
/// streams that opened together, or are sent the same events, do not all act at once.
struct StreamDeadlines {
  private let heartbeat: Duration
  private(set) var lastWrite: Duration
  private(set) var end: Duration

  /// Makes the times of a stream that opens.
  ///
  /// - Parameters:
  ///   - now: The loop's clock.
  ///   - configuration: The limits.
  init(now: Duration, _ configuration: Daemon.Configuration) {
    heartbeat = configuration.heartbeat * Double.random(in: 0.75...1)
    // The first heartbeat comes sooner by a random part.
    lastWrite = now - heartbeat * Double.random(in: 0..<1)
    let lifetime = configuration.streamLifetime
    end =
      now + lifetime.lowerBound
      + (lifetime.upperBound - lifetime.lowerBound) * Double.random(in: 0...1)
  }

  /// Notes that something was sent.
  mutating func wrote(at now: Duration) {
    lastWrite = now
  }

  /// Has the stream end at a time, unless it ends sooner anyway.
  mutating func end(by time: Duration) {
    end = min(end, time)
  }

  /// Whether the stream was silent for so long that a heartbeat is due.
  func needsHeartbeat(at now: Duration) -> Bool {
    now - lastWrite >= heartbeat
  }

  /// Whether the stream's time is over.
  func isOver(at now: Duration) -> Bool {
    end <= now
  }
}
