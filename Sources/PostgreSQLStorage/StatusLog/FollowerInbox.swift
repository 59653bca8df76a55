internal import Signals
internal import MailingList

/// The requests of other threads to the follower, and the descriptor that wakes it.
final class FollowerInbox: Sendable {
  /// The maximum number of messages of failed executions that are waiting for the server.
  static let maximumMessages = 8192

  /// The messages, and the requests since the last ``take()``.
  struct Content {
    /// Whether a batch was committed, or messages were added.
    var hasNews = false
    var messages: [StatusPayload] = []
    var stored: [StoredQuestion] = []
    var positions: [PositionQuestion] = []
    var confirmations: [ConfirmationQuestion] = []
    var withdrawn: [UInt64] = []
    var isStopped = false
    /// Whether there is a follower to reply to questions.
    fileprivate var isFollowed = false
    fileprivate var isAwake = false
  }

  /// The descriptor that ends the follower's wait as long as there are requests.
  let wakeUp = WakeUp()
  private let content = Lock(Content())

  func committed() {
    change { $0.hasNews = true }
  }

  func add(_ messages: [StatusPayload]) {
    change { content in
      guard content.messages.count + messages.count <= Self.maximumMessages else { return }
      content.messages += messages
      content.hasNews = true
    }
  }

  /// Puts unsent messages back before those that were added meanwhile.
  func putBack(_ messages: [StatusPayload]) {
    guard !messages.isEmpty else { return }
    content.withLock { content in
      content.messages = Array((messages + content.messages).prefix(Self.maximumMessages))
    }
  }

  /// Accepts questions from now on.
  func open() {
    content.withLock { $0.isFollowed = true }
  }

  /// Asks a question, which fails immediately if there is no follower.
  func ask(_ question: StoredQuestion) {
    if !isAsked({ $0.stored.append(question) }) { question.observer.fail(.closed) }
  }

  /// Asks for a position; the signal completes immediately if there is no follower.
  func ask(_ question: PositionQuestion) {
    if !isAsked({ $0.positions.append(question) }) { question.observer.complete() }
  }

  /// Asks for a confirmation; without a follower, there is never a reply.
  func ask(_ question: ConfirmationQuestion) {
    _ = isAsked { $0.confirmations.append(question) }
  }

  private func isAsked(_ body: (inout Content) -> Void) -> Bool {
    var isFollowed = false
    change { content in
      isFollowed = content.isFollowed && !content.isStopped
      if isFollowed { body(&content) }
    }
    return isFollowed
  }

  /// Withdraws a question about a confirmation.
  func withdraw(_ key: UInt64) {
    change { $0.withdrawn.append(key) }
  }

  /// Stops the follower.
  func stop() {
    change { $0.isStopped = true }
  }

  /// Takes all requests; the messages remain until ``takeMessages()``.
  func take() -> Content {
    wakeUp.clear()
    return content.withLock { content in
      let taken = content
      content = Content()
      content.messages = taken.messages
      content.isStopped = taken.isStopped
      content.isFollowed = taken.isFollowed
      return taken
    }
  }

  /// Takes the messages of failed executions for sending.
  func takeMessages() -> [StatusPayload] {
    content.withLock { content in
      defer { content.messages = [] }
      return content.messages
    }
  }

  /// Changes the content, and wakes the follower unless a request since the last ``take()`` has.
  private func change(_ body: (inout Content) -> Void) {
    let needsWakeUp = content.withLock { content in
      body(&content)
      defer { content.isAwake = true }
      return !content.isAwake
    }
    if needsWakeUp { wakeUp.signal() }
  }
}
