package import EmailAddresses
package import Signals

/// The waiting mails, stored with the sign-ups that cause them.
///
/// Every store's outbox passes the same conformance suite. All functions may be called from any
/// thread, and none of them blocks; signals send on a thread that the store chooses.
///
/// A mail is in the outbox from the moment its sign-up is durable until it is settled permanently,
/// so no mail is lost. A claim leases it: if its process ends, the mail is due again when the lease
/// ends, with the same id, and thus the same links and code.
package protocol Outbox: Sendable {
  /// Sends when mails may have become due, for example after sign-ups have been stored.
  ///
  /// The signal is hot, completes when the store closes, and never fails. Several changes may be
  /// sent as one.
  var changes: Signal<Void, Never> { get }

  /// Claims mails that are due, the longest due first, followed by those that were tried before.
  ///
  /// In one transaction it decides about each mail with ``MailGrant``, deletes the mails that are
  /// dropped or withheld, sets those aside that are held, charges the mailboxes and budgets of those
  /// that are granted for the first time, stores the credentials of the granted mails, and leases
  /// them. A mail that cannot be read is deleted and counted, so that it does not keep others
  /// waiting.
  ///
  /// The signal is cold: each subscription claims once, and disposing of it does not undo the
  /// claim. It sends one batch and completes, or fails if nothing was claimed.
  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError>

  /// Settles claimed mails, then claims the next ones, in one transaction; without a claim, it only
  /// settles.
  ///
  /// A settlement is ignored if the mail is no longer leased by its claim: the lease has ended and
  /// another claim has it, or an erasure has deleted it.
  ///
  /// The signal is cold: each subscription settles once. It sends one batch and completes, or fails
  /// if nothing was settled.
  func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError>

  /// Reads the number of waiting mails.
  ///
  /// The signal is cold; it sends one value and completes, or fails if the store cannot be read.
  func backlog() -> Signal<OutboxBacklog, StoreError>
}

/// The id of a mail in the outbox, which is never shown.
///
/// The id has the form of an ``ExecutionID``: 48 bits of Unix time in milliseconds, so that the
/// outbox is appended to, and 128 random bits. The links and the code of a mail are derived from
/// it, so that a repeated attempt sends the same ones.
package struct MailID: Hashable, Sendable {
  package static let byteCount = ExecutionID.byteCount

  private let id: ExecutionID

  package init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
    id = ExecutionID(at: time, using: &generator)
  }

  /// Creates an id from its 22 bytes; `nil` if they are invalid.
  package init?(bytes: some Collection<UInt8>) {
    guard let id = ExecutionID(bytes: bytes) else { return nil }
    self.id = id
  }

  /// The bytes, most significant first, as stored.
  package var bytes: [UInt8] { id.bytes }
}

/// A mail that an outbox has granted and leased to one relay connection.
///
/// A class: passing it copies one reference instead of a dozen fields.
package final class ClaimedMail: Sendable {
  /// Links, code and Message-ID are derived from the id.
  package let id: MailID
  package let kind: MailKind
  package let subscriberID: Int64
  /// The consent of the sign-up that caused the mail.
  package let consentID: ExecutionID
  /// The stored address, never one typed later.
  package let recipient: EmailAddress
  /// The language of the sign-up that caused the mail (BCP 47), if any.
  package let locale: String?
  /// The time of that sign-up.
  package let createdAt: Timestamp
  /// The time of the first grant, for which the mailbox was charged.
  package let grantedAt: Timestamp
  /// Whether this claim was the first grant.
  package let isFirstGrant: Bool
  /// The number of counted attempts before this one.
  package let attempts: Int
  /// The end of the lease: after it, the mail is due again for any relay.
  package let leasedUntil: Timestamp

  package init(
    id: MailID, kind: MailKind, subscriberID: Int64, consentID: ExecutionID,
    recipient: EmailAddress, locale: String?, createdAt: Timestamp, grantedAt: Timestamp,
    isFirstGrant: Bool, attempts: Int, leasedUntil: Timestamp
  ) {
    self.id = id
    self.kind = kind
    self.subscriberID = subscriberID
    self.consentID = consentID
    self.recipient = recipient
    self.locale = locale
    self.createdAt = createdAt
    self.grantedAt = grantedAt
    self.isFirstGrant = isFirstGrant
    self.attempts = attempts
    self.leasedUntil = leasedUntil
  }
}

/// The stored form of the links and the code of a mail: hashes, and the wording of the mail.
package struct MailCredentials: Hashable, Sendable {
  /// The hash of the token that confirms; `nil` in a mail without such a link.
  package let confirmHash: [UInt8]?
  /// The hash of the token that unsubscribes.
  package let unsubscribeHash: [UInt8]
  /// The keyed hash of the code; `nil` in a mail without a code.
  package let codeHash: [UInt8]?
  /// The Message-ID, with its domain, without angle brackets.
  package let messageID: String
  /// The text of the mail, as a template.
  package let wording: MailWording

  package init(
    confirmHash: [UInt8]?, unsubscribeHash: [UInt8], codeHash: [UInt8]?, messageID: String,
    wording: MailWording
  ) {
    self.confirmHash = confirmHash
    self.unsubscribeHash = unsubscribeHash
    self.codeHash = codeHash
    self.messageID = messageID
    self.wording = wording
  }
}

/// The text of a kind of mail in a language, stored once as proof of a person's agreement.
///
/// The text contains the names of links and code instead of their values.
///
/// A class: every mail of a kind and language shares one.
package final class MailWording: Sendable {
  /// The SHA-256 of all other fields, by which it is stored.
  package let hash: [UInt8]
  package let kind: MailKind
  /// The language (BCP 47).
  package let language: String
  package let subject: String
  package let text: String
  package let html: String

  package init(
    hash: [UInt8], kind: MailKind, language: String, subject: String, text: String, html: String
  ) {
    self.hash = hash
    self.kind = kind
    self.language = language
    self.subject = subject
    self.text = text
    self.html = html
  }
}

extension MailWording: Hashable {
  /// Two wordings are equal if their hashes are.
  package static func == (left: MailWording, right: MailWording) -> Bool {
    left.hash == right.hash
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}

/// A request for mails that are due.
package struct MailClaim: Sendable {
  /// The maximum number of mails: the number of free connections to the relay, 0 or more.
  package let limit: Int
  /// The maximum number of those mails that were tried before, 0 or more; they follow the others.
  package let triedLimit: Int
  package let now: Timestamp
  /// The duration of the leases.
  package let lease: Duration
  package let budgets: MailBudgets
  /// Whether held mails are examined as well: those that waited too long expire, and others become
  /// due as far as the budgets have room.
  package let examinesHeld: Bool
  /// Creates the credentials of a granted mail.
  ///
  /// It is called on the store's thread, within the transaction, at each attempt, and must not
  /// block.
  package let credentials: @Sendable (ClaimedMail) -> MailCredentials

  package init(
    limit: Int, triedLimit: Int = .max, now: Timestamp, lease: Duration,
    budgets: MailBudgets = MailBudgets(), examinesHeld: Bool = false,
    credentials: @escaping @Sendable (ClaimedMail) -> MailCredentials
  ) {
    self.limit = limit
    self.triedLimit = triedLimit
    self.now = now
    self.lease = lease
    self.budgets = budgets
    self.examinesHeld = examinesHeld
    self.credentials = credentials
  }
}

/// The result of a claim.
package struct MailBatch: Sendable {
  /// The mails to deliver, the longest due first.
  package let mails: [ClaimedMail]
  /// The number of mails that were deleted because they were no longer wanted.
  package let dropped: Int
  /// The number of mails that were deleted because the budget of their mailbox was spent.
  package let withheld: Int
  /// The number of mails that are held from now on, because a budget of ``MailBudgets`` is spent.
  package let held: Int
  /// The number of held mails that were deleted because they waited too long.
  package let expired: Int
  /// Whether mails are held after the claim.
  package let hasHeld: Bool
  /// Whether held mails must be examined again: some have become due, or the limit left them.
  package let mayReleaseMore: Bool
  /// The used part of the budget of all mails, before this claim; `nil` if it was not read.
  package let load: Int?
  /// Whether the operator must be told that the budget of all mails is spent: at most once in six
  /// hours, by all services of a list.
  package let raisesAlarm: Bool
  /// The number of mails that were deleted because their row, or their subscriber's row, cannot be
  /// read.
  package let damaged: Int
  /// The time of the next claim: when the next mail is due, including leased ones; `nil` if none
  /// waits.
  ///
  /// The time is not in the future if the limit left mails unclaimed; mails that were tried before
  /// are ignored if the claim excluded them. If other processes add or send mails, it is at most
  /// one lease ahead, or the time of the next attempt if this process may not send.
  package let nextDueAt: Timestamp?

  package init(
    mails: [ClaimedMail], dropped: Int, withheld: Int, held: Int = 0, expired: Int = 0,
    hasHeld: Bool = false, mayReleaseMore: Bool = false, load: Int? = nil,
    raisesAlarm: Bool = false, damaged: Int = 0, nextDueAt: Timestamp?
  ) {
    self.mails = mails
    self.dropped = dropped
    self.withheld = withheld
    self.held = held
    self.expired = expired
    self.hasHeld = hasHeld
    self.mayReleaseMore = mayReleaseMore
    self.load = load
    self.raisesAlarm = raisesAlarm
    self.damaged = damaged
    self.nextDueAt = nextDueAt
  }
}

/// The outcome of a claimed mail.
package enum DeliveryOutcome: Hashable, Sendable {
  /// The relay accepted the mail: it is deleted, and earlier rejections no longer count.
  case sent
  /// The mailbox does not exist or accepts no mail: the mail is deleted, and the rejection counts.
  ///
  /// The charge is returned to the mailbox, unless the address is suppressed.
  case rejected
  /// The relay cannot deliver to this address: the mail is deleted.
  case undeliverable
  /// The time for attempts is over: the mail is deleted.
  case expired
  /// The attempt counts, and the mail is due again at a time; `error` describes the failure.
  case later(at: Timestamp, error: String)
  /// The attempt does not count, and the mail is due again at a time; it may have been sent.
  case released(at: Timestamp)
  /// The mail was not sent, and is due again at a time as if it had not been claimed: the charge of
  /// its first grant is returned to the mailbox.
  case unsent(at: Timestamp)
}

/// A claimed mail and its outcome.
package struct MailSettlement: Sendable {
  package let mail: ClaimedMail
  package let outcome: DeliveryOutcome
  /// The time at which the outcome became known.
  package let time: Timestamp

  package init(_ mail: ClaimedMail, _ outcome: DeliveryOutcome, at time: Timestamp) {
    self.mail = mail
    self.outcome = outcome
    self.time = time
  }
}

/// The number of mails that wait in an outbox.
package struct OutboxBacklog: Hashable, Sendable {
  /// The number up to which mails are counted.
  package static let maximumCount = 10_000

  /// The number of mails that wait or are being delivered, without held ones, at most
  /// ``maximumCount``.
  package let waiting: Int
  /// The time of the oldest sign-up whose mail was counted; `nil` if no mail waits.
  package let oldest: Timestamp?
  /// The number of mails that are held, at most ``maximumCount``.
  package let held: Int
  /// Whether another process delivers the mails.
  package let isServedElsewhere: Bool

  package init(waiting: Int, oldest: Timestamp?, held: Int = 0, isServedElsewhere: Bool) {
    self.waiting = waiting
    self.oldest = oldest
    self.held = held
    self.isServedElsewhere = isServedElsewhere
  }
}
