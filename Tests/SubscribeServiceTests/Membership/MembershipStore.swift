import EmailAddresses
import Locks
import MailingList
import Secrets
import Signals
import TestSupport

/// A store in memory with double opt-in, whose mails a test reads directly.
///
/// It decides with the pure functions of `Membership`, and counts writes and reads.
final class MembershipStore: SubscriberStore {
  /// What a mail contains.
  struct Mail {
    let confirm: MailToken
    let unsubscribe: MailToken
    let code: ConfirmationCode

    /// A code that is not that of the mail.
    var wrongCode: String { code.digits == "000000" ? "000001" : "000000" }
  }

  private struct Link {
    let purpose: LinkPurpose
    let subscriber: Int64
    let madeAt: Timestamp
  }

  private struct Person {
    let key: String
    var membership: Membership
    var next: String?
    var codeHash: [UInt8]?
  }

  private struct State {
    var people: [Int64: Person] = [:]
    var executions: [ExecutionID: Int64] = [:]
    var links: [[UInt8]: Link] = [:]
    var signUps: [SignUp] = []
    var requests: [MembershipRequest] = []
    var means: [ConsentMeans] = []
    var mailCount: UInt8 = 0
    var writeCount = 0
    var comparisonCount = 0
    var failure: StoreError?
  }

  let keys = MailKeys(Keyring(Secret()))
  let sharedStatusLog: (any SharedStatusLog)?
  private let state = Lock(State())
  private let backlog: OutboxBacklog

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - backlog: The backlog of its outbox.
  ///   - sharedStatusLog: The status log that services share, if there is one.
  init(
    backlog: OutboxBacklog = OutboxBacklog(waiting: 0, oldest: nil, isServedElsewhere: false),
    sharedStatusLog: (any SharedStatusLog)? = nil
  ) {
    self.backlog = backlog
    self.sharedStatusLog = sharedStatusLog
  }

  /// The error that every operation fails with.
  var failure: StoreError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// How often the store has written, sign-ups included.
  var writeCount: Int { state.withLock { $0.writeCount } }

  /// How many codes were compared.
  var comparisonCount: Int { state.withLock { $0.comparisonCount } }

  var signUps: [SignUp] { state.withLock { $0.signUps } }

  /// The requests with which people confirmed, left, or requested a link.
  var requests: [MembershipRequest] { state.withLock { $0.requests } }

  /// The means by which people left.
  var means: [ConsentMeans] { state.withLock { $0.means } }

  /// Returns the state of the person with an address.
  func membership(_ email: String) -> Membership? {
    state.withLock { state in
      state.people.values.first { $0.key == email }?.membership
    }
  }

  /// Returns the number of the person with an address.
  func subscriber(_ email: String) -> Int64? {
    state.withLock { $0.people.first { $0.value.key == email }?.key }
  }

  /// Sets the membership of the person with an address, who need not have signed up.
  func set(_ membership: Membership, of email: String) {
    state.withLock { state in
      let id = Self.person(email, &state)
      state.people[id]?.membership = membership
    }
  }

  /// Sends the person with an address a mail.
  func mail(_ email: String, at time: Timestamp) -> Mail {
    state.withLock { state in
      let person = Self.person(email, &state)
      state.mailCount += 1
      let id = [UInt8](repeating: state.mailCount, count: 22)
      let mail = Mail(
        confirm: keys.token(.confirm, ofMail: id),
        unsubscribe: keys.token(.unsubscribe, ofMail: id),
        code: keys.code(ofMail: id)
      )
      state.links[mail.confirm.hash] = Link(purpose: .confirm, subscriber: person, madeAt: time)
      state.links[mail.unsubscribe.hash] = Link(
        purpose: .unsubscribe,
        subscriber: person,
        madeAt: time
      )
      state.people[person]?.codeHash = keys.hash(of: mail.code, for: person)
      return mail
    }
  }

  private static func person(_ key: String, _ state: inout State) -> Int64 {
    if let found = state.people.first(where: { $0.value.key == key }) { return found.key }
    let id = Int64(state.people.count + 1)
    state.people[id] = Person(key: key, membership: Membership(state: .pending))
    return id
  }

  /// Forgets the executions that began before a time, as stores do after a day.
  func forget(before time: Timestamp) {
    state.withLock { state in
      state.executions = state.executions.filter { $0.key.madeAt >= time }
    }
  }

  // MARK: The store

  func add(_ signUp: SignUp) -> Signal<Never, StoreError> {
    write { state in
      let id = Self.person(signUp.address.key, &state)
      let before = state.people[id]?.membership ?? .none
      state.people[id]?.membership = before.signUp(at: signUp.time, optIn: .double).after
      state.people[id]?.next = signUp.consent.next
      state.executions[signUp.id] = id
      state.signUps.append(signUp)
    }
    .ignoreValues(as: Never.self)
  }

  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    read { $0.executions[id] != nil }
  }

  var outbox: any Outbox { OutboxStub(backlog: backlog) }

  func membership(of id: ExecutionID) -> Signal<ExecutionMembership?, StoreError> {
    read { state in
      state.executions[id].map { subscriber in
        let membership = state.people[subscriber]?.membership
        return ExecutionMembership(
          subscriberID: subscriber,
          confirmedAt: membership?.state == .subscribed ? membership?.confirmedAt : nil
        )
      }
    }
  }

  func lookUp(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> {
    read { state in
      guard let link = state.links[token], link.purpose == purpose,
        let membership = state.people[link.subscriber]?.membership
      else { return .unknown }
      switch purpose {
      case .unsubscribe: return membership.leave(at: time) == nil ? .done : .usable
      case .confirm:
        switch Self.confirm(membership, by: link, at: time) {
        case .confirmed: return .usable
        case .already: return .done
        case .gone: return .gone
        }
      }
    }
  }

  func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> {
    write { state in
      state.requests.append(request)
      guard let link = state.links[token], link.purpose == .confirm,
        let person = state.people[link.subscriber]
      else { return .unknown }
      let subscriber = ConfirmedSubscriber(id: link.subscriber, next: person.next)
      switch Self.confirm(person.membership, by: link, at: request.time) {
      case .confirmed(let after):
        state.people[link.subscriber]?.membership = after
        return .confirmed(subscriber)
      case .already: return .already(subscriber)
      case .gone: return .gone
      }
    }
  }

  func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError> {
    write { state in
      state.comparisonCount += 1
      guard let subscriber = state.executions[id], let person = state.people[subscriber] else {
        return .unknown
      }
      let isRight = isCode(person.codeHash ?? [UInt8](repeating: 0, count: 32), subscriber)
      guard isRight else { return .wrong }
      let confirmed = ConfirmedSubscriber(id: subscriber, next: person.next)
      switch person.membership.confirm(at: request.time, proofMadeAt: request.time) {
      case .confirmed(let after):
        state.people[subscriber]?.membership = after
        return .confirmed(confirmed)
      case .already: return .already(confirmed)
      case .gone: return .wrong
      }
    }
  }

  func leave(
    _ proof: LeaveProof,
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> {
    write { state in
      state.requests.append(request)
      state.means.append(means)
      let person: Int64
      switch proof {
      case .link(let token):
        guard let link = state.links[token], link.purpose == .unsubscribe else { return .unknown }
        person = link.subscriber
      case .subscriber(let subscriber, _): person = subscriber
      }
      guard let after = state.people[person]?.membership.leave(at: request.time) else {
        return .already
      }
      state.people[person]?.membership = after
      return .left
    }
  }

  func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<RenewalResult, StoreError> {
    write { state in
      state.requests.append(request)
      guard let link = state.links[token], link.purpose == .confirm else { return .unknown }
      return .accepted
    }
  }

  func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    by actor: EventActor,
    at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    write { _ in .unlisted }
  }

  func probe() -> Signal<Never, StoreError> {
    failure.map { .fail($0) } ?? .empty
  }

  func close() -> Signal<Never, Never> { .empty }

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    read { _ in [] }
  }

  private static func confirm(
    _ membership: Membership,
    by link: Link,
    at time: Timestamp
  ) -> Membership.Confirmation {
    let end = link.madeAt.adding(MailCredentials.confirmLifetime)
    if membership.state != .subscribed, end <= time { return .gone }
    return membership.confirm(at: time, proofMadeAt: link.madeAt)
  }

  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (inout State) -> Value
  ) -> Signal<Value, StoreError> {
    read { state in
      state.writeCount += 1
      return body(&state)
    }
  }

  private func read<Value: Sendable>(
    _ body: @escaping @Sendable (inout State) -> Value
  ) -> Signal<Value, StoreError> {
    .calling { () throws(StoreError) in
      try self.state.withLock { (state) throws(StoreError) in
        if let failure = state.failure { throw failure }
        return body(&state)
      }
    }
  }
}

/// An outbox that only counts.
private struct OutboxStub: Outbox {
  let backlogNow: OutboxBacklog

  init(backlog: OutboxBacklog) { backlogNow = backlog }

  var changes: Signal<Void, Never> { .never }

  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> { .empty }

  func settle(
    _ settlements: [MailSettlement],
    claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> { .empty }

  func backlog() -> Signal<OutboxBacklog, StoreError> { .just(backlogNow) }
}
