import EmailAddresses
import HTTPSignals
import HTTPTypes
import Signals
import Logging
import MailingList
import Platform
import Services
import Security
import SignalsTesting
import TestSupport

/// The operator's side of the service without sockets, with keys in memory and a manual clock.
final class OperatorUnderTest: Sendable {
  let store = KeysInMemory()
  let outbox = OutboxStub()
  let registry = MetricRegistry(MetricTable.definitions)
  let keyring = Keyring(Secret())
  let log = LogRecorder()
  let scheduler: TestScheduler
  private let clock = ManualClock()
  private let policy: OperatorResponsePolicy
  private let requests = Subject<Exchange, Never>()

  /// The URL of the board, if a proxy stands in front.
  static let url = WebOrigin("https://board.example.org")

  /// Creates the operator's side.
  ///
  /// - Parameters:
  ///   - access: Who may read the metrics.
  ///   - scheduler: Where responses with metrics are made, and where uses of keys wait.
  init(
    access: OperatorDependencies.MetricsAccess = .key, scheduler: TestScheduler = TestScheduler()
  ) {
    self.scheduler = scheduler
    policy = OperatorResponsePolicy(
      wording: ProblemWording(
        title: { $0.titleKey },
        detail: { ([$0.key] + $0.arguments.map(\.value)).joined(separator: " ") },
        help: { $0 == "unauthorized" ? "A key is needed." : nil }))
    var dependencies = OperatorDependencies(
      keys: store, list: store, outbox: outbox, registry: registry, keyring: keyring,
      shared: .init(
        live: { $0.exchange.respond(Response(status: .ok)) },
        ready: { $0.exchange.respond(.notFound) },
        obstacle: { [store] in .just(store.obstacle.withLock { $0 }) }),
      responsePolicy: policy, scheduler: scheduler,
      logger: log.logger())
    dependencies.metricsAccess = access
    dependencies.operatorURL = Self.url
    // Not `self`, which would retain itself through its routes.
    dependencies.now = { [clock] in clock.now }
    Operator(dependencies).serve(requests.signal)
  }

  var now: Timestamp { clock.now }

  func advance(seconds: Int64) { clock.advance(seconds: seconds) }

  /// Stores a new key.
  ///
  /// - Parameters:
  ///   - scopes: What it allows.
  ///   - seconds: The time until it expires; `nil` for never.
  ///   - key: The key.
  ///   - hash: The stored hash, if it is not that of the key.
  /// - Returns: The key.
  @discardableResult
  func makeKey(
    _ scopes: Set<KeyScope> = [.metrics], expiresIn seconds: Int? = nil, as key: APIKey = APIKey(),
    hash: [UInt8]? = nil
  ) -> APIKey {
    store.rows.withLock { keys in
      keys[key.id] = StoredKey(
        id: key.id, name: "test", scopes: scopes, hash: hash ?? key.hash, createdAt: now,
        expiresAt: seconds.map { now.adding(.seconds($0)) })
    }
    return key
  }

  /// Sends a request, and waits for its response in the time of the scheduler.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path.
  ///   - key: The key, if there is one.
  ///   - authorization: The values of further `Authorization` fields.
  ///   - more: Further header fields.
  ///   - json: The body; without one there is no `Content-Type` either.
  ///   - form: The body, if it is that of a form.
  ///   - client: The client.
  ///   - time: The time to wait; a second suffices for a wrong key after another one.
  /// - Returns: The response; `nil` if there was none in time.
  func send(
    _ method: HTTPRequest.Method = .get, _ path: String = "/metrics", key: String? = nil,
    authorization: [String] = [], fields more: KeyValuePairs<String, String> = [:],
    json: String? = nil, form: String? = nil, client: ClientAddress = .v4(0xC000_0207),
    within time: Duration = .seconds(1)
  ) -> Response? {
    var fields = FieldList()
    if let key { fields.append(name: "Authorization", text: "Bearer \(key)") }
    for value in authorization { fields.append(name: "Authorization", text: value) }
    for (name, value) in more { fields.append(name: name, text: value) }
    if json != nil { fields.append(name: "Content-Type", text: "application/json") }
    if form != nil {
      fields.append(name: "Content-Type", text: "application/x-www-form-urlencoded")
    }
    let sent = Lock<Response?>(nil)
    let request = Request(
      method: method, path: path, fields: fields, body: Array((json ?? form ?? "").utf8),
      client: client)
    requests.send(Exchange(request, policy: policy) { response in sent.withLock { $0 = response } })
    scheduler.advance()
    if sent.withLock({ $0 == nil }) { scheduler.advance(by: time) }
    return sent.withLock { $0 }
  }

  /// The text of the metrics.
  var metrics: String { String(decoding: registry.text(), as: UTF8.self) }
}

/// A wall clock that only the test advances.
final class ManualClock: Sendable {
  private let milliseconds = Lock<Int64>(1_800_000_000_000)

  var now: Timestamp { Timestamp(millisecondsSince1970: milliseconds.withLock { $0 }) }

  func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }

  func advance(milliseconds: Int64) { self.milliseconds.withLock { $0 += milliseconds } }
}

extension FieldList {
  fileprivate mutating func append(name: String, text: String) {
    Array(name.utf8).withUnsafeBytes { name in
      Array(text.utf8).withUnsafeBytes { append(name: name, value: $0) }
    }
  }
}

extension Response {
  /// The content as text.
  var text: String {
    guard case .bytes(let bytes) = body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The last part of the problem's type; `nil` if the response is not a problem.
  var problem: String? {
    text.split(separator: "\"type\":\"/problems/", maxSplits: 1).dropFirst().first?
      .split(separator: "\"").first.map(String.init)
  }
}

/// An outbox without mails, which only counts.
final class OutboxStub: Outbox {
  /// The backlog.
  let answer = Lock<Signal<OutboxBacklog, StoreError>>(
    .just(OutboxBacklog(waiting: 0, oldest: nil, isServedElsewhere: false)))

  var changes: Signal<Void, Never> { .never }

  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> { .never }

  func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> { .never }

  func backlog() -> Signal<OutboxBacklog, StoreError> { .deferred { self.answer.withLock { $0 } } }
}

/// Keys in memory, and the numbers of a store whose list cannot be read.
final class KeysInMemory: KeyStore, OperatorStore {
  let rows = Lock<[String: StoredKey]>([:])
  let uses = Lock<[KeyUse]>([])
  let counts = Lock<[Subscriber.State: Int]>([.subscribed: 3])
  let countings = Lock(0)
  let failure = Lock<StoreError?>(nil)
  let events = Lock<[ListEvent]>([])
  /// The reason why the service is not ready.
  let obstacle = Lock<ProblemDetails?>(nil)
  /// Sends all keys instead, when a test wants it to.
  let searching = Lock<Subject<[StoredKey], StoreError>?>(nil)
  /// Whether reads of keys do not end.
  let isStuck = Lock(false)
  /// How often one key was read.
  let readings = Lock(0)
  /// How often all keys were read.
  let searches = Lock(0)
  /// Sends the counts instead, when a test wants it to.
  let counting = Lock<Subject<[Subscriber.State: Int], StoreError>?>(nil)

  var queuedSignUps: Int { 5 }
  var logBytes: Int? { 4096 }

  func key(_ id: String) -> Signal<StoredKey?, StoreError> {
    readings.withLock { $0 += 1 }
    return read { $0[id] }
  }

  func keys() -> Signal<[StoredKey], StoreError> {
    searches.withLock { $0 += 1 }
    if let searching = searching.withLock({ $0 }) { return searching.signal }
    return read { Array($0.values) }
  }

  private func read<Value: Sendable>(
    _ body: ([String: StoredKey]) -> Value
  ) -> Signal<Value, StoreError> {
    if isStuck.withLock({ $0 }) { return .never }
    if let error = failure.withLock({ $0 }) { return .fail(error) }
    return .just(rows.withLock { body($0) })
  }

  func record(_ use: KeyUse) -> Signal<Never, StoreError> {
    Signal { observer in
      self.uses.withLock { $0.append(use) }
      self.rows.withLock { keys in
        keys[use.id]?.lastUsedAt = use.minute
        keys[use.id]?.lastUsedFrom = use.network
        if let origin = use.origin { keys[use.id]?.lastOrigin = origin }
      }
      observer.complete()
      return nil
    }
  }

  func subscriberCounts() -> Signal<[Subscriber.State: Int], StoreError> {
    if let error = failure.withLock({ $0 }) { return .fail(error) }
    countings.withLock { $0 += 1 }
    if let counting = counting.withLock({ $0 }) { return counting.signal }
    return .just(counts.withLock { $0 })
  }
}

extension KeysInMemory {
  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    .fail(.unreachable)
  }

  func consents(
    ofSubscribers subscribers: ClosedRange<Int64>, after last: RecordedConsent?, limit: Int
  ) -> Signal<[RecordedConsent], StoreError> {
    .fail(.unreachable)
  }

  func subscriber(_ id: Int64) -> Signal<Subscriber?, StoreError> { .fail(.unreachable) }

  func events(after position: Int64, limit: Int) -> Signal<EventPage, StoreError> {
    if let error = failure.withLock({ $0 }) { return .fail(error) }
    return events.withLock { events in
      let later = events.filter { $0.position > position }.prefix(limit)
      return .just(
        EventPage(epoch: "test", newest: events.last?.position ?? 0, events: Array(later)))
    }
  }

  func countEvents() -> Signal<Int, StoreError> { .fail(.unreachable) }

  func tallies(fromHour hour: Int64, fromDay day: Int64) -> Signal<[Tally], StoreError> {
    if let error = failure.withLock({ $0 }) { return .fail(error) }
    return .just(Tally.counting(events.withLock { $0 }))
  }

  func lookUp(_ addresses: [EmailAddress]) -> Signal<[AddressStatus], StoreError> {
    .fail(.unreachable)
  }

  func add(
    _ people: [ImportedPerson], by actor: EventActor, at time: Timestamp
  ) -> Signal<[ImportResult], StoreError> {
    .fail(.unreachable)
  }

  func change(
    _ change: StateChange, of id: Int64, by actor: EventActor, at time: Timestamp,
    if isExpected: @escaping @Sendable (Subscriber) -> Bool
  ) -> Signal<StateChangeResult, StoreError> {
    .fail(.unreachable)
  }

  func requestConfirmation(
    of id: Int64, at time: Timestamp
  ) -> Signal<StateChangeResult, StoreError> { .fail(.unreachable) }

  func erase(
    _ id: Int64, leaving trace: ErasureTrace, by actor: EventActor, at time: Timestamp,
    if isExpected: @escaping @Sendable (Subscriber) -> Bool
  ) -> Signal<StateChangeResult, StoreError> {
    .fail(.unreachable)
  }

  func suppress(
    _ address: EmailAddress, _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    .fail(.unreachable)
  }
}
