extension Signal {
  /// Sends what several signals send, as it comes.
  ///
  /// They are subscribed in their order. It completes when all have completed, at once when there
  /// is none; the first failure ends all of them.
  ///
  /// ```text
  /// source:  a--b|
  /// other:   -x---y|
  /// result:  ax-b-y|
  /// Signal.merge(source, other)
  /// ```
  ///
  /// - Parameter signals: The signals; one that stands there twice is subscribed twice.
  /// - Returns: The values of all in the order in which they are sent, whichever threads send them.
  @inlinable
  public static func merge(_ signals: Signal...) -> Signal {
    merge(signals)
  }

  /// Sends what several signals send, as it comes.
  ///
  /// ```text
  /// source:  a--b|
  /// other:   -x---y|
  /// result:  ax-b-y|
  /// Signal.merge([source, other])
  /// ```
  ///
  /// - Parameter signals: The signals, subscribed in their order.
  /// - Returns: What `merge` of the same signals, one by one, returns.
  @inlinable
  public static func merge(_ signals: [Signal]) -> Signal {
    if signals.isEmpty { return .empty }
    return Signal(attaching: { observer, subscription in
      let sink = MergeSink(active: signals.count, to: observer, subscription)
      for signal in signals { sink.subscribe(signal) }
    })
  }

  /// Sends what this signal and another one send, as it comes.
  ///
  /// ```text
  /// source:  a--b|
  /// other:   -x--y-|
  /// result:  ax-by-|
  /// source.merge(with: other)
  /// ```
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: Completes when both have completed; fails with the first failure.
  @inlinable
  public func merge(with other: Signal) -> Signal {
    .merge([self, other])
  }
}
