import Delivery
import HTTPSignals
import HTTPTypes
import Signals
import Platform
import SQLiteStorage
import Security
import Services
import SignalsTesting
import TestSupport
import Testing

@testable import MailingList

/// The operator's side of the service without sockets, with a store in memory and a manual clock.
final class OperatorUnderTest: Sendable {
  let store: HeldStore
  let signUpService: SignUpService
  let registry = MetricRegistry(MetricTable.definitions)
  let log = LogRecorder()
  let scheduler: TestScheduler
  private let clock: ManualClock
  private let policy = OperatorResponsePolicy()
  private let requests = Subject<Exchange, Never>()

  /// The URL of the board, if a proxy stands in front.
  static let url = WebOrigin("https://board.example.org")

  /// Creates the operator's side.
  ///
  /// - Parameters:
  ///   - access: Who may read the metrics.
  ///   - scheduler: Where responses with metrics are made, and where uses of keys wait.
  init(access: Operator.MetricsAccess = .key, scheduler: TestScheduler = TestScheduler()) {
    let clock = ManualClock()
    self.clock = clock
    self.scheduler = scheduler
    // Not `self`, which would retain itself through its routes.
    store = HeldStore(ControlledStore(now: { clock.now }))
    var dependencies = Dependencies(
      store: store,
      responsePolicy: ServiceResponsePolicy(allowedOrigins: .none, publicOrigin: nil),
      logger: log.logger())
    dependencies.metrics = registry
    dependencies.now = { clock.now }
    signUpService = SignUpService(dependencies)
    var settings = Operator.Settings()
    settings.metricsAccess = access
    settings.url = Self.url
    Operator(
      beside: signUpService, webhooks: WebhookClient(WebhookTargets()), on: scheduler, settings
    ).serve(requests.signal)
  }

  var now: Timestamp { clock.now }

  func advance(seconds: Int64) { clock.advance(seconds: seconds) }

  /// Signs people up, by the names in their addresses.
  func signUp(_ names: String...) throws {
    for name in names {
      let signUp = try SignUp.sample("\(name)@example.org", at: now.millisecondsSince1970)
      _ = store.add(signUp).blockingLast()
    }
  }

  /// Stores a new key, in place of one with the same id.
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
    let stored = StoredKey(
      id: key.id, name: "test", scopes: scopes, hash: hash ?? key.hash, createdAt: now,
      expiresAt: seconds.map { now.adding(.seconds($0)) })
    remove(key)
    let isStored = change { list throws(StoreError) in try list.keyTable.create(stored) }
    #expect(isStored == true)
    return key
  }

  func revoke(_ key: APIKey) {
    let (id, time) = (key.id, now)
    change { list throws(StoreError) in try list.keyTable.revoke(id, at: time) }
  }

  func remove(_ key: APIKey) {
    let deletion = Statement("DELETE FROM enlist.keys WHERE id = ?1")(.text(key.id))
    change { list throws(StoreError) in try list.session.change([deletion]) }
  }

  /// Reads a key; `nil` if it is not stored.
  func stored(_ key: APIKey) -> StoredKey? {
    let id = key.id
    return change { list throws(StoreError) in try list.keyTable.key(id) } ?? nil
  }

  /// The number of uses of keys that the service has stored: no other change has no result.
  var useCount: Int { store.count(of: Void.self) }

  /// Changes the list like another process, also while the store fails.
  @discardableResult
  private func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Value? {
    store.base.base.change(body).blockingLast()
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
  ///   - time: The time to wait if the response is not sent at once.
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

/// A store that counts what is read and changed, by the type of the result, and that holds results
/// back when a test wants it to.
final class HeldStore: ListStore, Outbox {
  /// The result of counting subscribers.
  typealias Counts = (numbers: [Subscriber.State: Int], last: Int64?)

  private struct State {
    var counts: [ObjectIdentifier: Int] = [:]
    var holds: [ObjectIdentifier: Signal<Never, StoreError>] = [:]
  }

  let base: ControlledStore
  private let state = Lock(State())

  init(_ base: ControlledStore) {
    self.base = base
  }

  /// Returns how often something with a result of a type was read or changed.
  func count<Value>(of type: Value.Type) -> Int {
    let id = ObjectIdentifier(type)
    return state.withLock { $0.counts[id] ?? 0 }
  }

  /// Holds the results of a type back from now on, until a signal completes; if it fails, so do
  /// they.
  func hold<Value>(_ type: Value.Type, until end: Signal<Never, StoreError>) {
    let id = ObjectIdentifier(type)
    state.withLock { $0.holds[id] = end }
  }

  private func perform<Value: Sendable>(
    _ signal: Signal<Value, StoreError>
  ) -> Signal<Value, StoreError> {
    .deferred {
      let id = ObjectIdentifier(Value.self)
      let end = self.state.withLock { state in
        state.counts[id, default: 0] += 1
        return state.holds[id]
      }
      guard let end else { return signal }
      return signal.flatMap { value -> Signal<Value, StoreError> in
        end.then { Signal<Value, StoreError>.just(value) }
      }
    }
  }

  // MARK: The store

  /// Reads on the writer's thread: the readers' queue gets none while tests block theirs.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    perform(base.change { list throws(StoreError) in try body(ListReader(list.session)) })
  }

  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    perform(base.change(body))
  }

  func add(_ signUp: SignUp) -> Signal<Never, StoreError> { base.add(signUp) }
  func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> { base.hasStored(id) }
  func probe() -> Signal<Never, StoreError> { base.probe() }
  func finish(within time: Duration) -> Signal<Never, Never> { base.finish(within: time) }
  func close() -> Signal<Never, Never> { base.close() }

  var outbox: any Outbox { self }
  var keyring: Keyring { base.keyring }
  /// More than there are, to tell them from a number that was not read.
  var queuedSignUps: Int { 5 }
  var logBytes: Int? { base.logBytes }

  // MARK: Its outbox

  var changes: Signal<Void, Never> { base.mails.changes }

  func claim(_ claim: MailClaim) -> Signal<MailBatch, StoreError> { base.mails.claim(claim) }

  func settle(
    _ settlements: [MailSettlement], claiming claim: MailClaim?
  ) -> Signal<MailBatch, StoreError> {
    base.mails.settle(settlements, claiming: claim)
  }

  func backlog() -> Signal<OutboxBacklog, StoreError> {
    read { list throws(StoreError) in try list.backlog(isServedElsewhere: false) }
  }
}
