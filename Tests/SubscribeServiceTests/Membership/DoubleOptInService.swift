import HTTPSignals
import HTTPTypes
import MailingList
import Security
import Services
import TestSupport

/// A service with double opt-in, without sockets, with a SQLite store and a manual clock.
struct DoubleOptInService: Sendable {
  static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

  let service: ServiceUnderTest

  var members: ControlledStore { service.store }
  var clock: Clock { service.clock }

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - members: The store: a new one, or a used one to simulate a restart.
  ///   - optIn: Another opt-in after the restart.
  ///   - sendsCode: Whether mails contain a code.
  ///   - allowedOrigins: The sites whose pages may use the service.
  ///   - profile: The look and the words of the list.
  ///   - change: Changes the service's dependencies.
  init(
    members: ControlledStore? = nil, optIn: OptIn = .double, sendsCode: Bool = true,
    allowedOrigins: AllowedOrigins = .none,
    profile: ListProfile = ListProfile(name: "News & <Views>"),
    _ change: (inout Dependencies) -> Void = { _ in }
  ) {
    service = ServiceUnderTest(
      store: members, optIn: optIn, sendsCode: sendsCode, allowedOrigins: allowedOrigins,
      profile: profile, change)
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path.
  ///   - isBrowser: Whether the client prefers pages.
  ///   - body: The body, a form by default.
  ///   - type: The media type of the body; `nil` sends none.
  ///   - more: Further header fields.
  /// - Returns: The response.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, isBrowser: Bool = true, body: String = "",
    as type: String? = nil, fields more: KeyValuePairs<String, String> = [:]
  ) -> TestResponse {
    var fields = FieldList()
    if isBrowser { fields.append("Accept", Self.browser) }
    if let type { fields.append("Content-Type", type) }
    for (name, value) in more { fields.append(name, value) }
    return service.send(Request(method: method, path: path, fields: fields, body: Array(body.utf8)))
  }

  /// Opens the stream of an execution that waits for the confirmation.
  func events(_ id: String, after cursor: String? = nil) -> TestResponse {
    let fields = cursor.map { FieldList(["Last-Event-ID": $0]) } ?? FieldList()
    return service.send(
      Request(
        method: .get, path: "/executions/\(id)/events", query: FieldList(["until": "confirmed"]),
        fields: fields))
  }

  /// Types a code as a program does.
  @discardableResult
  func type(_ code: String, for id: String) -> TestResponse {
    send(
      .post, "/executions/\(id)/code", isBrowser: false, body: #"{"code":"\#(code)"}"#,
      as: "application/json")
  }
}

/// The memberships that an address can have before a sign-up, by name.
enum ListState: String, CaseIterable {
  case none, pending, subscribed, left, leftUnconfirmed, bounced, complained, objected

  /// The membership; `nil` where the address is unknown.
  func membership(before time: Timestamp) -> Membership? {
    let day: Duration = .seconds(86_400)
    let early = time.adding(.zero - day * 90)
    let late = time.adding(.zero - day * 60)
    return switch self {
    case .none: nil
    case .pending: Membership(state: .pending)
    case .subscribed: Membership(state: .subscribed, confirmedAt: early)
    case .left: Membership(state: .unsubscribed, confirmedAt: early, unsubscribedAt: late)
    case .leftUnconfirmed: Membership(state: .unsubscribed, unsubscribedAt: late)
    case .bounced: Membership(state: .suppressed, suppression: .hardBounce, suppressedAt: late)
    case .complained: Membership(state: .suppressed, suppression: .complaint, suppressedAt: late)
    case .objected: Membership(state: .suppressed, suppression: .objected, suppressedAt: late)
    }
  }
}
