internal import MailingList
internal import Signals

/// A question about whether any service has stored an execution.
struct StoredQuestion: Sendable {
  let id: ExecutionID
  let deadline: ContinuousClock.Instant
  let observer: Observer<Bool, StoreError>
}

/// A request to read the log up to a position.
struct PositionQuestion: Sendable {
  let position: Int64
  let deadline: ContinuousClock.Instant
  let observer: Observer<Never, Never>
}

/// A question about a subscriber's confirmation after a time.
struct ConfirmationQuestion: Sendable {
  let key: UInt64
  let subscriber: Int64
  let after: Timestamp
  let observer: Observer<Timestamp, Never>
}

/// The questions that are waiting for a reply or a deadline.
///
/// Replies must be sent outside the follower's turn, because they execute the code of observers.
struct FollowerQuestions {
  typealias Reply = @Sendable () -> Void

  /// The maximum number of waiting questions about executions, and about positions.
  ///
  /// A further question gets its reply from the first lookup, or immediately.
  static let maximumWaiting = 1024
  /// The interval at which confirmations are looked up.
  static let confirmationInterval: Duration = .seconds(1)

  private struct Stored {
    let question: StoredQuestion
    /// Whether the first lookup determines the reply.
    let isHasty: Bool
    var wasLookedUp = false
  }

  private var stored: [Stored] = []
  private var positions: [PositionQuestion] = []
  private var confirmations: [UInt64: ConfirmationQuestion] = [:]
  private var confirmationsDue: ContinuousClock.Instant?

  /// Whether an execution has not been looked up yet.
  var needsRound: Bool { stored.contains { !$0.wasLookedUp } }

  /// The ids of the executions to look up.
  var ids: [ExecutionID] { stored.map(\.question.id) }

  /// The subscribers to look up.
  var subscribers: [Int64] { Array(Set(confirmations.values.map(\.subscriber))) }

  /// The time of the next lookup of subscribers; `nil` if no confirmation is awaited.
  var confirmationsAt: ContinuousClock.Instant? {
    confirmations.isEmpty ? nil : confirmationsDue
  }

  /// The earliest deadline.
  var deadline: ContinuousClock.Instant? {
    let first = positions.map(\.deadline).min()
    guard let other = stored.map(\.question.deadline).min() else { return first }
    return first.map { min($0, other) } ?? other
  }

  /// Adds the questions of an inbox; returns replies that are due immediately.
  mutating func add(
    _ content: FollowerInbox.Content, position: Int64, at now: ContinuousClock.Instant
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

  /// Returns the replies after the log was read up to a position.
  mutating func reached(_ position: Int64) -> [Reply] {
    guard !positions.isEmpty else { return [] }
    let reached = positions.filter { $0.position <= position }
    positions.removeAll { $0.position <= position }
    return reached.map { question in { question.observer.complete() } }
  }

  /// Returns the replies after a lookup of executions.
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

  /// Returns the replies after a lookup of confirmations.
  mutating func confirmed(_ found: [Int64: Timestamp], at now: ContinuousClock.Instant) -> [Reply] {
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

  /// Returns the replies to questions whose deadlines have passed.
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

  /// Ends all questions with the follower; returns the replies.
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
