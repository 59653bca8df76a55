internal import Synchronization

/// The exchanges of one connection that the service has not released yet.
///
/// Usually there is one, because the next request of a connection is read after the response. But a
/// response may be sent before the work is done (RFC 7240 `respond-async`), and then one connection
/// could fill the queue of the store. At the limit, its next request is postponed, and nothing more
/// is read from the connection, until an exchange is released.
// @unchecked Sendable because only the count is used outside the loop's thread.
final class ExchangesInFlight: @unchecked Sendable {
  private let maximum: Int
  private let count = Atomic(0)
  private var resumePostponed: (() -> Void)?

  init(maximum: Int) {
    self.maximum = maximum
  }

  /// Adds an exchange, unless the connection is at its limit; on the loop's thread.
  func begin() -> Bool {
    guard count.load(ordering: .relaxed) < maximum else { return false }
    count.add(1, ordering: .relaxed)
    return true
  }

  /// Removes an exchange; on any thread.
  ///
  /// - Returns: Whether the connection was at its limit; a request may be postponed then, so call
  ///   ``resume()`` on the loop.
  func end() -> Bool {
    count.subtract(1, ordering: .acquiringAndReleasing).oldValue == maximum
  }

  /// Postpones the next request of the connection; `resume` is called once, on the loop's thread.
  func postpone(_ resume: @escaping () -> Void) {
    resumePostponed = resume
  }

  /// Removes the postponed request, if any, without resuming it; on the loop's thread.
  func forgetPostponed() {
    resumePostponed = nil
  }

  /// Resumes the postponed request, if any; on the loop's thread.
  func resume() {
    let resume = resumePostponed
    resumePostponed = nil
    resume?()
  }
}
