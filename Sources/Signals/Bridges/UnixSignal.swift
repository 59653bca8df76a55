extension Signal where Value == Int32, Failure == Never {
  /// Sends the number of a Unix signal each time that the process receives it, and never ends.
  ///
  /// While it is subscribed, the Unix signal does not have its previous effect, such as ending the
  /// process; disposal of the last subscription restores that effect. No Unix signal is missed that
  /// arrives after `subscribe` has returned; several that arrive at the same time may be reported
  /// as one, as usual. The corresponding C function is `sigaction`.
  ///
  /// - Parameter number: The number of the Unix signal, such as `SIGTERM`.
  /// - Returns: A signal that sends on a background queue, to any number of subscriptions.
  public static func unixSignal(_ number: Int32) -> Signal {
    Signal { observer in
      let id = UnixSignals.shared.add(observer, for: number)
      return AnyDisposable { UnixSignals.shared.remove(id, for: number) }
    }
  }
}
