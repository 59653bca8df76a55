package import Signals

extension Signal {
  /// Makes a signal that calls a closure for each subscription, on the thread that subscribes.
  ///
  /// - Parameter body: Returns the only value; its error is that of the signal.
  /// - Returns: A cold, synchronous signal.
  package static func calling(_ body: @escaping @Sendable () throws(Failure) -> Value) -> Signal {
    .deferred {
      do throws(Failure) { return .just(try body()) } catch { return .fail(error) }
    }
  }
}
