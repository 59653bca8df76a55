extension Signal {
  /// Shares one subscription among those who are subscribed at the same time, and hands the last
  /// values to those who come late.
  ///
  /// The signal is subscribed for the first subscriber, and disposed when the last one has gone.
  /// Whoever comes after that, or after the end, begins anew: neither values nor end are kept.
  /// RxSwift calls this `share(replay:scope:)` with the scope `whileConnected`; what is kept for
  /// good is ``replayLazily()``.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.share(replay: 1)
  /// ```
  ///
  /// - Parameter count: How many values are handed on at the most, 0 or more.
  /// - Returns: A signal that runs its source once at a time.
  public func share(replay count: Int) -> Signal {
    Sharing(self) { $0.multicast(ReplaySubject(capacity: count)) }.signal
  }
}
