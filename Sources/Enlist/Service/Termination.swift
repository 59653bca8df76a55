internal import Glibc
internal import Signals

/// The first SIGTERM or SIGINT of the process, either of which ends the service.
///
/// After its creation, neither of them ends the process.
struct Termination: Sendable {
  /// Sends the number of the Unix signal, also to observers that subscribe after it has arrived.
  let signal: Signal<Int32, Never>

  private let subscription: any Disposable

  /// Starts to observe both Unix signals, which have no other effect while the process runs.
  init() {
    let received = ReplaySubject<Int32, Never>(capacity: 1)
    signal = received.signal.take(1)
    subscription = Signal.merge(.unixSignal(SIGTERM), .unixSignal(SIGINT)).subscribe(next: {
      received.send($0)
    })
  }
}
