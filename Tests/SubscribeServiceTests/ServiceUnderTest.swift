import EmailAddresses
import HTTPSignals
import HTTPTypes
import Signals
import Logging
import MailingList
import Services
import TestSupport

/// The service without sockets, with a SQLite store and a manual clock.
final class ServiceUnderTest: Sendable {
  let store: ControlledStore
  let clock: Clock
  let responsePolicy: ServiceResponsePolicy
  let service: SignUpService
  private let requests = Subject<Exchange, Never>()

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - store: The store: a new one, or a used one to simulate a restart.
  ///   - optIn: Whether sign-ups have to be confirmed.
  ///   - sendsCode: Whether mails contain a code.
  ///   - scope: The scope of a command.
  ///   - level: The strictness of address validation.
  ///   - allowedOrigins: The sites whose pages may use the service, as in the setting.
  ///   - publicOrigin: The public origin of the service.
  ///   - profile: The look and the words of the list.
  ///   - logger: The logger of the service.
  ///   - change: Changes the service's dependencies.
  init(
    store: ControlledStore? = nil, optIn: OptIn = .single, sendsCode: Bool = true,
    scope: SubscribeCommands.Scope = .address, level: EmailLevel = .form,
    allowedOrigins: AllowedOrigins = .none, publicOrigin: WebOrigin? = nil,
    profile: ListProfile = ListProfile(),
    logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
    _ change: (inout Dependencies) -> Void = { _ in }
  ) {
    let clock = Clock()
    let store = store ?? ControlledStore(optIn: optIn, now: { clock.now })
    self.store = store
    self.clock = clock
    responsePolicy = ServiceResponsePolicy(
      allowedOrigins: allowedOrigins, publicOrigin: publicOrigin, profile: profile,
      nextStep: NextStep(optIn, sendsCode: sendsCode), logger: logger)
    var dependencies = Dependencies(store: store, responsePolicy: responsePolicy, logger: logger)
    dependencies.now = { clock.now }
    dependencies.emailLevel = level
    dependencies.commandScope = scope
    if optIn == .double { dependencies.mailKeys = store.keys }
    change(&dependencies)
    service = SignUpService(dependencies)
    service.serve(requests.signal)
  }

  var commands: SubscribeCommands { service.commands }

  /// Serves another source of requests, like that of another event loop.
  func serve(_ exchanges: Signal<Exchange, Never>) { service.serve(exchanges) }

  /// Sends a request.
  ///
  /// - Returns: The response, which may arrive later.
  @discardableResult
  func send(_ request: Request) -> TestResponse {
    let response = TestResponse()
    requests.send(response.exchange(for: request, policy: responsePolicy))
    return response
  }

  @discardableResult
  func get(_ path: String, after cursor: String? = nil) -> TestResponse {
    let fields = cursor.map { FieldList(["Last-Event-ID": $0]) } ?? FieldList()
    return send(Request(method: .get, path: path, fields: fields))
  }

  @discardableResult
  func post(
    _ body: String, as type: String? = "application/json", prefer: String? = nil
  ) -> TestResponse {
    send(.post(Array(body.utf8), as: type, prefer: prefer))
  }

  @discardableResult
  func signUp(_ email: String = "ada@example.org", prefer: String? = nil) -> TestResponse {
    post("{\"email\":\"\(email)\"}", prefer: prefer)
  }
}

extension Request {
  static func post(
    _ body: [UInt8], as type: String?, prefer: String? = nil, to path: String = "/subscribers",
    client: ClientAddress = .local, fields more: KeyValuePairs<String, String> = [:]
  ) -> Request {
    var fields = FieldList()
    if let type { fields.append("Content-Type", type) }
    if let prefer { fields.append("Prefer", prefer) }
    for (name, value) in more { fields.append(name, value) }
    return Request(method: .post, path: path, fields: fields, body: body, client: client)
  }
}

extension FieldList {
  init(_ pairs: KeyValuePairs<String, String>) {
    self.init()
    for (name, value) in pairs { append(name, value) }
  }

  mutating func append(_ name: String, _ value: String) {
    Array(name.utf8).withUnsafeBytes { name in
      Array(value.utf8).withUnsafeBytes { append(name: name, value: $0) }
    }
  }
}

/// A manual clock: its time changes only when a test advances it.
final class Clock: Sendable {
  private let milliseconds = Lock<Int64>(1_800_000_000_000)

  var now: Timestamp {
    Timestamp(millisecondsSince1970: milliseconds.withLock { $0 })
  }

  func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }

  func advance(milliseconds: Int64) { self.milliseconds.withLock { $0 += milliseconds } }
}
