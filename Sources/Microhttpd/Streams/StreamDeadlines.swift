/// The deadlines of a stream: for its next heartbeat and for its end.
///
/// They are randomized for each stream, so that streams that opened at the same time, or receive
/// the same events, do not all act at once.
struct StreamDeadlines {
  private let heartbeat: Duration
  private(set) var lastWrite: Duration
  private(set) var end: Duration

  init(now: Duration, _ limits: StreamLimits) {
    heartbeat = limits.heartbeat * Double.random(in: 0.75...1)
    // Make the first heartbeat earlier by a random part of the interval.
    lastWrite = now - heartbeat * Double.random(in: 0..<1)
    let lifetime = limits.lifetime
    end =
      now + lifetime.lowerBound
      + (lifetime.upperBound - lifetime.lowerBound) * Double.random(in: 0...1)
  }

  mutating func wrote(at now: Duration) {
    lastWrite = now
  }

  /// Moves the end of the stream to a time, unless the stream ends earlier.
  mutating func end(by time: Duration) {
    end = min(end, time)
  }

  /// Returns whether the stream has been silent for so long that a heartbeat is due.
  func needsHeartbeat(at now: Duration) -> Bool {
    now - lastWrite >= heartbeat
  }

  func isOver(at now: Duration) -> Bool {
    end <= now
  }
}
