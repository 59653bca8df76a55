import Delivery
import EmailAddresses
import HTTPSignals
import HTTPTypes
import MailingList
import Services
import Security
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

/// The service with double opt-in over a SQLite store, without sockets.
///
/// When a request has been sent, the store has done its work and the response has arrived.
struct SQLiteService: Sendable {
  let service: ServiceUnderTest
  let trace: WriterTrace
  private let operatorPolicy = OperatorResponsePolicy()
  private let operatorRequests = Subject<Exchange, Never>()
  /// Returns the current time of the service and the store.
  let now: @Sendable () -> Timestamp

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - path: The database file.
  ///   - now: Returns the current time.
  ///   - change: Changes the service's dependencies.
  init(
    path: String, now: @escaping @Sendable () -> Timestamp,
    _ change: (inout Dependencies) -> Void = { _ in }
  ) throws {
    let base = try SQLiteSubscriberStore(
      path: path, configuration: .init(busyTimeout: .seconds(30), optIn: .double, now: now))
    service = ServiceUnderTest(
      store: ControlledStore(base), optIn: .double, profile: ListProfile(name: "News")
    ) { dependencies in
      dependencies.now = now
      change(&dependencies)
    }
    self.now = now
    trace = WriterTrace(base)
    Operator(
      beside: service.service, webhooks: WebhookClient(WebhookTargets()),
      on: ImmediateScheduler(), Operator.Settings()
    ).serve(operatorRequests.signal)
  }

  var store: ControlledStore { service.store }
  var keys: MailKeys { store.keys }

  /// Sends a form, or no body.
  @discardableResult
  func post(_ path: String, _ form: String? = nil, isBrowser: Bool = false) -> TestResponse {
    service.send(
      .post(
        Array((form ?? "").utf8), as: form == nil ? nil : "application/x-www-form-urlencoded",
        to: path, fields: isBrowser ? ["Accept": DoubleOptInService.browser] : [:]))
  }

  /// Requests a resource, with fields of a program or of a browser.
  func get(_ path: String, until: String? = nil, isBrowser: Bool = false) -> TestResponse {
    service.send(
      Request(
        method: .get, path: path, query: until.map { FieldList(["until": $0]) } ?? FieldList(),
        fields: isBrowser ? FieldList(["Accept": DoubleOptInService.browser]) : FieldList()))
  }

  /// Requests a resource of the operator's listener, without a key.
  func getAsOperator(_ path: String) -> TestResponse {
    let response = TestResponse()
    let request = Request(method: .get, path: path, fields: FieldList())
    operatorRequests.send(response.exchange(for: request, policy: operatorPolicy))
    return response
  }

  /// Makes the composer of the mails.
  func composer() throws -> MailComposer {
    let identity = MailIdentity(
      from: try #require(Mailbox("news@example.org")), profile: ListProfile(name: "News"),
      publicURL: "https://list.example.org")
    return try MailComposer(identity, MailTemplates(), keys)
  }

  /// Grants all mails that wait, as a relay does.
  func claimMails() async throws -> [ClaimedMail] {
    let composer = try composer()
    var mails: [ClaimedMail] = []
    while true {
      let claim = MailClaim(
        limit: 64, now: now(), lease: .seconds(180), credentials: { composer.credentials(for: $0) })
      let batch = try #require(try await store.base.outbox.claim(claim).values().first)
      if batch.mails.count + batch.dropped + batch.withheld == 0 { return mails }
      mails += batch.mails
    }
  }

  /// Counts mails for the budget of all and for that of `example.org`.
  func useBudgets(sent: Int, at time: Timestamp) throws {
    let hexadecimal = keys.domain("example.org").map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    try store.base.withConnection { db in
      try SQLiteFile(borrowing: db.handle).execute(
        """
        INSERT OR REPLACE INTO mail_hours(domain, hour, sent)
          VALUES (x'', \(time.hour), \(sent)), (x'\(hexadecimal.joined())', \(time.hour), \(sent))
        """
      )
    }
  }

  /// Reads the rows of an address in the outbox, of which those that send nothing are in queue 0.
  ///
  /// - Parameter address: The address.
  /// - Returns: The kinds of the mails; `nil` for a row that sends nothing.
  func queuedMails(to address: String) throws -> [MailKind?] {
    let key = try EmailAddress.sample(address).key
    return try store.base.withConnection { db in
      try SQLiteFile(borrowing: db.handle).numbers(
        """
        SELECT o.kind FROM outbox o JOIN subscribers s ON s.id = o.subscriber_id
          WHERE s.address_key = '\(key)' AND (o.queue = 1) = (o.kind > 0)
        """
      )
      .map { MailKind(rawValue: $0) }
    }
  }
}

/// Runs a test with a service whose clock a test advances, and closes its store afterwards.
func withSQLiteService(_ body: (SQLiteService, Clock) async throws -> Void) async throws {
  let folder = try Folder()
  let clock = Clock()
  let service = try SQLiteService(path: folder("list.sqlite"), now: { clock.now })
  try await body(service, clock)
  await service.store.base.close().ended()
  withExtendedLifetime(folder) {}
}

extension TestResponse {
  /// The whole response, line by line, with a secret text replaced.
  func lines(replacing secret: String) -> [String] {
    let fields = (response?.fields.pairs ?? []).map { "\($0.lowercased()): \($1)" }.sorted()
    return (["\(status)"] + fields + [text]).map { $0.replacing(secret, with: "ID") }
  }
}
