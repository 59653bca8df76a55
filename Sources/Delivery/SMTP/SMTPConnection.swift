internal import Dispatch

/// A connection to a relay, and the semaphore that wakes its thread.
// @unchecked Sendable because only the connection's thread uses the conversation; other threads use
// the semaphore, and the identity as a key.
final class SMTPConnection: @unchecked Sendable {
  /// Signaled once when an idle connection gets an attempt, or must close.
  let semaphore = DispatchSemaphore(value: 0)

  private let conversation: SMTPConversation

  /// Creates a connection, which opens with the first mail.
  init(_ settings: SMTPSettings) {
    conversation = SMTPConversation(settings)
  }

  /// Delivers a mail; called on the connection's thread.
  func deliver(_ attempt: SMTPAttempt) -> Result<Void, DeliveryError> {
    do throws(DeliveryError) {
      return .success(try conversation.deliver(attempt))
    } catch {
      return .failure(error)
    }
  }

  /// Closes the connection; called on its thread.
  func close() {
    conversation.close()
  }
}
