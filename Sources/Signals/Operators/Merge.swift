extension Signal {
  /// Merges several signals: sends their values as they arrive.
  ///
  /// They are subscribed in their order. The result completes when all have completed, immediately
  /// if there is none; the first failure ends all of them.
  ///
  /// ```text
  /// source:  a--b|
  /// other:   -x---y|
  /// result:  ax-b-y|
  /// Signal.merge(source, other)
  /// ```
  ///
  /// - Parameter signals: The signals; a signal that occurs twice is subscribed twice.
  /// - Returns: A signal of all values in the order in which they are sent, whichever threads send
  ///   them.
  @inlinable
  public static func merge(_ signals: Signal...) -> Signal {
    merge(signals)
  }

  /// Merges several signals: sends their values as they arrive.
  ///
  /// ```text
  /// source:  a--b|
  /// other:   -x---y|
  /// result:  ax-b-y|
  /// Signal.merge([source, other])
  /// ```
  ///
  /// - Parameter signals: The signals, subscribed in their order.
  /// - Returns: The same as `merge` of the signals as arguments.
  @inlinable
  public static func merge(_ signals: [Signal]) -> Signal {
    if signals.isEmpty { return .empty }
    return Signal(attaching: { observer, subscription in
      let sink = MergeSink(active: signals.count, to: observer, subscription)
      for signal in signals { sink.subscribe(signal) }
    })
  }

  /// Merges this signal with another one: sends their values as they arrive.
  ///
  /// ```text
  /// source:  a--b|
  /// other:   -x--y-|
  /// result:  ax-by-|
  /// source.merge(with: other)
  /// ```
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: A signal that completes when both have completed, and fails with the first failure.
  @inlinable
  public func merge(with other: Signal) -> Signal {
    .merge([self, other])
  }
}
