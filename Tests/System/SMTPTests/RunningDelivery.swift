import Dispatch
import Signals
import Testing

@testable import Delivery

/// A delivery in progress.
final class RunningDelivery: Sendable {
  private let end = Lock<DeliveryError??>(nil)
  private let semaphore = DispatchSemaphore(value: 0)
  private let subscription = SerialDisposable()

  init(_ signal: Signal<Never, DeliveryError>) {
    subscription.replace(
      with: signal.subscribe(
        failed: { error in self.finish(error) }, completed: { self.finish(nil) }))
  }

  private func finish(_ error: DeliveryError?) {
    end.withLock { $0 = .some(error) }
    semaphore.signal()
  }

  /// Blocks until the delivery ends; returns its error, or `nil` when the mail was accepted.
  func result(within time: DispatchTimeInterval = .seconds(30)) throws -> DeliveryError? {
    try #require(semaphore.wait(timeout: .now() + time) == .success, "no result in time")
    return end.withLock { $0 } ?? nil
  }

  /// Cancels the delivery.
  func cancel() {
    subscription.dispose()
  }
}
