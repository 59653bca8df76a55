internal import Locks
internal import MailingList
internal import Signals

/// The requests of other threads to the follower, and the descriptor that wakes it.
final class FollowerInbox: Sendable {
  /// The maximum number of messages of failed executions that wait for the server.
  static let maximumMessages = 8192

  /// The requests since the follower last looked.
  struct Content {
    /// Whether something was committed, or added to the messages.
    var hasNews = false
    var messages: [StatusPayload] = []
    var stored: [StoredQuestion] = []
    var positions: [PositionQuestion] = []
    var confirmations: [ConfirmationQuestion] = []
    var withdrawn: [UInt64] = []
    var isStopped = false
    /// Whether there is a follower, which replies to questions.
    fileprivate var isFollowed = false
    fileprivate var isAwake = false
  }

  /// Ends the follower's wait while there is something to take.
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

  /// Puts messages back that were not sent, before those that were added meanwhile.
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

  /// Asks a question; it fails at once if there is no follower.
  func ask(_ question: StoredQuestion) {
    if !isAsked({ $0.stored.append(question) }) { question.observer.fail(.closed) }
  }

  /// Asks for a position; the wait ends at once if there is no follower.
  func ask(_ question: PositionQuestion) {
    if !isAsked({ $0.positions.append(question) }) { question.observer.complete() }
  }

  /// Asks for a confirmation; it never comes if there is no follower.
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

  /// Ends the follower.
  func stop() {
    change { $0.isStopped = true }
  }

  /// Takes everything except the messages, which stay until ``takeMessages()``.
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

  /// Takes the messages of failed executions, which are about to be sent.
  func takeMessages() -> [StatusPayload] {
    content.withLock { content in
      defer { content.messages = [] }
      return content.messages
    }
  }

  /// Changes the content, and wakes the follower unless it is going to look anyway.
  private func change(_ body: (inout Content) -> Void) {
    let needsWakeUp = content.withLock { content in
      body(&content)
      defer { content.isAwake = true }
      return !content.isAwake
    }
    if needsWakeUp { wakeUp.signal() }
  }
}
