extension Signal where Value == Int32, Failure == Never {
  /// Sends the number of a Unix signal each time that the process gets it, and never ends.
  ///
  /// While it is subscribed the signal does not do what it did before, such as ending the process;
  /// once the last subscription is disposed it does so again. A Unix signal that comes after
  /// `subscribe` has returned is heard; several that come at once may be heard as one, as ever. The
  /// corresponding C function is `sigaction`.
  ///
  /// - Parameter number: Which one: `SIGTERM`, for instance.
  /// - Returns: A signal that sends on a queue in the background; any number of subscriptions hear
  ///   it.
  public static func unixSignal(_ number: Int32) -> Signal {
    Signal { observer in
      let id = UnixSignals.shared.add(observer, for: number)
      return AnyDisposable { UnixSignals.shared.remove(id, for: number) }
    }
  }
}
