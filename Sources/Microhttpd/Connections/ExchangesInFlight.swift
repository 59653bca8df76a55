internal import Synchronization

/// The exchanges of one connection that the service has not released yet.
///
/// Mostly it is one: the next request of a connection is read after the response. But a response may
/// be sent before the work is done (RFC 7240 `respond-async`), and then one connection could fill the
/// queue of the store. At the limit its next request is held, and nothing more is read from it, until
/// an exchange is released.
// @unchecked Sendable because only the count is used outside the loop's thread.
final class ExchangesInFlight: @unchecked Sendable {
  private let maximum: Int
  private let count = Atomic(0)
  private var postponed: PendingRequest?

  /// Makes a count of none.
  ///
  /// - Parameter maximum: How many there may be at one time.
  init(maximum: Int) {
    self.maximum = maximum
  }

  /// Counts an exchange in; on the loop's thread.
  ///
  /// - Returns: Whether there was room for it.
  func begin() -> Bool {
    guard count.load(ordering: .relaxed) < maximum else { return false }
    count.add(1, ordering: .relaxed)
    return true
  }

  /// Counts an exchange out; on any thread.
  ///
  /// - Returns: Whether a request may be held that has room now: call ``resume()`` on the loop.
  func end() -> Bool {
    count.subtract(1, ordering: .acquiringAndReleasing).oldValue == maximum
  }

  /// Holds the next request of the connection; on the loop's thread.
  func postpone(_ request: PendingRequest) {
    postponed = request
  }

  /// Dispatches the held request, if there is one; on the loop's thread.
  func resume() {
    let request = postponed
    postponed = nil
    request?.resumePostponed()
  }
}
