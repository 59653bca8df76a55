internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import MailingList
internal import Signals
internal import Services

extension Row {
  /// The requests of the service, in order.
  static var ofService: [Row] {
    [
      request("sign-up, stored at once", .post, "/subscribers", #"{"email":"ana@example.com"}"#),
      request("sign-up, no address", .post, "/subscribers", #"{"email":"nobody"}"#),
      request("sign-up, malformed", .post, "/subscribers", #"{"email":"#),
      request("check of an address", .post, "/email-checks", #"{"email":"ana@example.com"}"#),
      request("check of nothing", .post, "/email-checks", #"{"email":""}"#),
      request("unknown path", .get, "/nothing", ""),
      Row(
        name: "command: an execution and its messages", aim: Aim(),
        contenders: [Contender(.enlist, execution())]),
      Row(
        name: "command: rejected while it executes", aim: Aim(),
        contenders: [Contender(.enlist, rejection())]),
    ] + ofCostlyRequests
  }

  private static func request(
    _ name: String, _ method: HTTPRequest.Method, _ path: String, _ body: String
  ) -> Row {
    Row(name: name, aim: Aim(), contenders: [Contender(.enlist, request(method, path, body))])
  }

  /// Sends one request after the other, as an event loop dispatches them.
  static func request(
    _ method: HTTPRequest.Method, _ path: String, _ body: String,
    _ type: String = "application/json", _ more: [String: String] = [:]
  ) -> (Int) -> Void {
    let store = ForgetfulStore()
    let logger = Logger(label: "service", factory: { _ in SwiftLogNoOpLogHandler() })
    let policy = ServiceResponsePolicy(allowedOrigins: .none, publicOrigin: nil)
    let service = SignUpService(
      Dependencies(store: store, responsePolicy: policy, logger: logger))
    let exchanges = Subject<Exchange, Never>()
    service.serve(exchanges.signal)
    var fields = FieldList()
    let common = [
      ("Host", "127.0.0.1:8080"), ("Content-Type", type), ("Content-Length", "\(body.utf8.count)"),
    ]
    for (name, value) in common + more.sorted(by: { $0.key < $1.key }) {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { fields.append(name: name, value: $0) }
      }
    }
    let request = Request(
      method: method, path: path, fields: fields, body: Array(body.utf8),
      source: RequestSource(client: .local))
    let sum = Sum()
    return { count in
      for _ in 0..<count {
        exchanges.send(Exchange(request, policy: policy) { sum.add($0.status.code) })
      }
      withExtendedLifetime(service) {}
    }
  }

  /// A sign-up of the command layer, without a request; its three messages have one reader.
  private static func execution() -> (Int) -> Void {
    let commands = SubscribeCommands(store: ForgetfulStore())
    let sum = Sum()
    commands.statusEvents.subscribe(next: { sum.add($0.message == .failed ? 1 : 2) })
    let request = signUp
    return { count in
      for _ in 0..<count { commands.execute(request) { _ in } }
    }
  }

  /// A sign-up for an address whose execution is in flight.
  private static func rejection() -> (Int) -> Void {
    let command = SubscribeCommand(store: ForgetfulStore(stored: .never), now: { .now })
    let request = signUp
    command.email.value = request.email
    _ = try? command.execute(request)
    return { count in
      for _ in 0..<count { _ = try? command.execute(request) }
    }
  }

  private static var signUp: SignUpRequest {
    var generator = SystemRandomNumberGenerator()
    let id = ExecutionID(at: .now, using: &generator)
    let address = Result { () throws(EmailAddressError) in
      try EmailAddress(validating: "ana@example.com")
    }
    return SignUpRequest(
      id: id, signUp: address.map { SignUp(id: id, address: $0, time: .now, consent: Consent()) })
  }
}
