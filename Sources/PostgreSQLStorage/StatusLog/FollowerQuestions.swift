internal import MailingList
internal import Signals

/// A question whether an execution was stored, by whichever service.
struct StoredQuestion: Sendable {
  let id: ExecutionID
  let deadline: ContinuousClock.Instant
  let observer: Observer<Bool, StoreError>
}

/// A request to read the log until a position was received.
struct PositionQuestion: Sendable {
  let position: Int64
  let deadline: ContinuousClock.Instant
  let observer: Observer<Never, Never>
}

/// A question when the owner of an address confirms.
struct ConfirmationQuestion: Sendable {
  let key: UInt64
  let subscriber: Int64
  let after: Timestamp
  let observer: Observer<Timestamp, Never>
}

/// The questions that wait, each for its reply or its deadline.
///
/// The closures that it returns must be called outside the follower's turn, because they run the
/// code of observers.
struct FollowerQuestions {
  typealias Reply = @Sendable () -> Void

  /// The maximum number of questions of a kind that wait; any more get their reply at the first
  /// chance.
  static let maximumWaiting = 1024
  /// The interval at which confirmations are looked up.
  static let confirmationInterval: Duration = .seconds(1)

  private struct Stored {
    let question: StoredQuestion
    /// Whether the first lookup decides.
    let isHasty: Bool
    var wasLookedUp = false
  }

  private var stored: [Stored] = []
  private var positions: [PositionQuestion] = []
  private var confirmations: [UInt64: ConfirmationQuestion] = [:]
  private var confirmationsDue: ContinuousClock.Instant?

  /// Whether an execution has to be looked up that never was.
  var needsRound: Bool { stored.contains { !$0.wasLookedUp } }

  /// The ids to look up.
  var ids: [ExecutionID] { stored.map(\.question.id) }

  /// The subscribers to look up.
  var subscribers: [Int64] { Array(Set(confirmations.values.map(\.subscriber))) }

  /// When subscribers are looked up next; `nil` if no confirmation is awaited.
  var confirmationsAt: ContinuousClock.Instant? {
    confirmations.isEmpty ? nil : confirmationsDue
  }

  /// The earliest deadline.
  var deadline: ContinuousClock.Instant? {
    let first = positions.map(\.deadline).min()
    guard let other = stored.map(\.question.deadline).min() else { return first }
    return first.map { min($0, other) } ?? other
  }

  /// Adds what was asked.
  mutating func add(
    _ content: FollowerInbox.Content,
    position: Int64,
    at now: ContinuousClock.Instant
  ) -> [Reply] {
    for question in content.stored {
      let isHasty = stored.count >= Self.maximumWaiting
      stored.append(Stored(question: question, isHasty: isHasty))
    }
    var replies: [Reply] = []
    for question in content.positions {
      if question.position <= position || positions.count >= Self.maximumWaiting {
        replies.append(question.observer.complete)
      } else {
        positions.append(question)
      }
    }
    for question in content.confirmations {
      if confirmations.isEmpty { confirmationsDue = now + Self.confirmationInterval }
      confirmations[question.key] = question
    }
    for key in content.withdrawn { confirmations.removeValue(forKey: key) }
    return replies
  }

  /// Returns the replies that a position leads to.
  mutating func reached(_ position: Int64) -> [Reply] {
    guard !positions.isEmpty else { return [] }
    let reached = positions.filter { $0.position <= position }
    positions.removeAll { $0.position <= position }
    return reached.map { question in { question.observer.complete() } }
  }

  /// Returns the replies that a lookup leads to.
  mutating func lookedUp(_ found: Set<ExecutionID>, of asked: Set<ExecutionID>) -> [Reply] {
    var replies: [Reply] = []
    var waiting: [Stored] = []
    for var entry in stored {
      let id = entry.question.id
      if asked.contains(id) { entry.wasLookedUp = true }
      if found.contains(id) || (entry.isHasty && entry.wasLookedUp) {
        replies.append(Self.reply(found.contains(id), to: entry.question.observer))
      } else {
        waiting.append(entry)
      }
    }
    stored = waiting
    return replies
  }

  /// Returns the replies that confirmations lead to.
  mutating func confirmed(
    _ found: [Int64: Timestamp],
    at now: ContinuousClock.Instant
  ) -> [Reply] {
    confirmationsDue = now + Self.confirmationInterval
    var replies: [Reply] = []
    for (key, question) in confirmations {
      guard let time = found[question.subscriber], time > question.after else { continue }
      confirmations.removeValue(forKey: key)
      replies.append {
        question.observer.send(time)
        question.observer.complete()
      }
    }
    return replies
  }

  /// Returns the replies that are due now.
  ///
  /// An execution that could not be looked up is not known to be missing.
  mutating func expired(at now: ContinuousClock.Instant) -> [Reply] {
    guard let deadline, deadline <= now else { return [] }
    var replies: [Reply] = []
    for entry in stored where entry.question.deadline <= now {
      let observer = entry.question.observer
      if entry.wasLookedUp {
        replies.append(Self.reply(false, to: observer))
      } else {
        replies.append { observer.fail(.unreachable) }
      }
    }
    stored.removeAll { $0.question.deadline <= now }
    for question in positions where question.deadline <= now {
      replies.append(question.observer.complete)
    }
    positions.removeAll { $0.deadline <= now }
    return replies
  }

  /// Ends all questions, because the follower ends.
  mutating func close() -> [Reply] {
    defer { self = FollowerQuestions() }
    var replies: [Reply] = []
    for entry in stored { replies.append { entry.question.observer.fail(.closed) } }
    for question in positions { replies.append(question.observer.complete) }
    return replies
  }

  private static func reply(_ isStored: Bool, to observer: Observer<Bool, StoreError>) -> Reply {
    {
      observer.send(isStored)
      observer.complete()
    }
  }
}
