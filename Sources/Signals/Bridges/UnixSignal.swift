internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension Signal where Value == Int32, Failure == Never {
  /// Sends the number of a Unix signal each time that the process gets it, and never ends.
  ///
  /// From the first subscription on the signal no longer does what it does by itself, such as
  /// ending the process. The corresponding C function is `sigaction`.
  ///
  /// - Parameter number: Which one: `SIGTERM`, for instance.
  /// - Returns: A signal that sends on a queue in the background; each subscription listens anew.
  public static func unixSignal(_ number: Int32) -> Signal {
    Signal { observer in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { observer.send(number) }
      source.resume()
      let listening = Listening(source)
      return AnyDisposable { listening.stop() }
    }
  }
}

/// A source of Unix signals that listens.
// @unchecked Sendable because a Dispatch source may be used from any thread; the type does not say.
private final class Listening: @unchecked Sendable {
  private let source: any DispatchSourceSignal

  init(_ source: any DispatchSourceSignal) {
    self.source = source
  }

  func stop() {
    source.cancel()
  }
}
