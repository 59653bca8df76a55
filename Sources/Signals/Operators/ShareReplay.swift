extension Signal {
  /// Shares one subscription among the observers of the same time, and replays the last values to
  /// late observers.
  ///
  /// The signal is subscribed for the first observer, and disposed when the last one has left. An
  /// observer that comes later, or after the end, subscribes it again: neither values nor the end
  /// are kept. RxSwift calls this `share(replay:scope:)` with the scope `whileConnected`;
  /// ``replayLazily()`` keeps values permanently.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.share(replay: 1)
  /// ```
  ///
  /// - Parameter count: The maximum number of values to replay, 0 or more.
  /// - Returns: A signal that has at most one subscription to its source at a time.
  public func share(replay count: Int) -> Signal {
    Sharing(self) { $0.multicast(ReplaySubject(capacity: count)) }.signal
  }
}
