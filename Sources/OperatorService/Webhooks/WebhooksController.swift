internal import Delivery
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Security
internal import Signals

/// The handlers of webhooks.
final class WebhooksController: Sendable {
  private struct Members: Decodable {
    var url: String?
    var types: [String]?
    var from: String?
    /// Seconds.
    var overlap: Int?
  }

  /// The times for which a previous secret may sign, in seconds.
  private static let overlaps = 0...7 * 86_400

  private let webhooks: WebhookAdministration?
  private let responder: APIResponder
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: OperatorDependencies) {
    webhooks = dependencies.webhooks
    responder = APIResponder(dependencies)
    now = dependencies.now
  }

  /// Responds to `GET /api/webhooks`.
  @Sendable
  func list(_ routed: RoutedExchange) {
    respond(routed) { webhooks, _ in
      webhooks.store.webhooks().map { list in
        .json(.ok) { object in
          object.array("webhooks", list.webhooks) { $1.webhook($0, in: list.epoch) }
        }
      }
    }
  }

  /// Responds to `POST /api/webhooks`; only this response and that of a rotation have the secret.
  @Sendable
  func create(_ routed: RoutedExchange) {
    respond(routed) { (webhooks, request) throws(APIError) in
      let members = try request.decode(Members.self)
      guard let url = members.url else { throw APIError(.invalidParameter("url")) }
      try Self.check(url, webhooks.targets)
      let webhook = Webhook(
        url: url, types: try Self.types(members) ?? .subscribers, createdAt: now())
      let change = WebhookChange.create(webhook, from: try Self.start(members) ?? .now)
      return self.change(change, webhooks, .created, showsSecret: true)
    }
  }

  /// Responds to `GET /api/webhooks/{id}`.
  @Sendable
  func show(_ routed: RoutedExchange) {
    find(routed) { list, webhook, _ in
      .just(.json(.ok) { $0.webhook(webhook, in: list.epoch) })
    }
  }

  /// Responds to `PATCH /api/webhooks/{id}`.
  @Sendable
  func update(_ routed: RoutedExchange) {
    change(routed) { (id, members, targets) throws(APIError) in
      if let url = members.url { try Self.check(url, targets) }
      return .update(id: id, url: members.url, types: try Self.types(members))
    }
  }

  /// Responds to `DELETE /api/webhooks/{id}`.
  @Sendable
  func delete(_ routed: RoutedExchange) {
    respond(routed) { webhooks, _ in
      webhooks.store.change(.delete(id: String(routed["id"] ?? "")), at: self.now()).map { result in
        guard case .changed = result else { return .problem(.notFound) }
        return .response(Response(status: .noContent))
      }
    }
  }

  /// Responds to `POST /api/webhooks/{id}/rotate`.
  @Sendable
  func rotate(_ routed: RoutedExchange) {
    change(routed, showsSecret: true) { (id, members, _) throws(APIError) in
      guard Self.overlaps.contains(members.overlap ?? 0) else {
        throw APIError(.invalidParameter("overlap"))
      }
      return .rotate(id: id, overlap: members.overlap.map { .seconds($0) } ?? Webhook.overlap)
    }
  }

  /// Responds to `POST /api/webhooks/{id}/enable`.
  @Sendable
  func enable(_ routed: RoutedExchange) {
    change(routed) { (id, members, _) throws(APIError) in
      .enable(id: id, from: try Self.start(members))
    }
  }

  /// Responds to `POST /api/webhooks/{id}/disable`.
  @Sendable
  func disable(_ routed: RoutedExchange) {
    change(routed) { id, _, _ in .disable(id: id) }
  }

  /// Responds to `POST /api/webhooks/{id}/test`, when the receiver has responded.
  @Sendable
  func test(_ routed: RoutedExchange) {
    find(routed) { _, webhook, webhooks in
      let request = WebhookRequest.test(webhook, at: self.now(), webhooks.secrets)
      return webhooks.sender.send(request).promoteError().map { response in
        .json(.ok) { $0.response(response) }
      }
    }
  }

  /// Responds to `GET /api/webhooks/{id}/attempts`.
  @Sendable
  func attempts(_ routed: RoutedExchange) {
    find(routed) { list, webhook, webhooks in
      webhooks.store.attempts(ofWebhook: webhook.id).map { attempts in
        .json(.ok) { object in
          object.array("attempts", attempts) { $1.attempt($0, in: list.epoch) }
        }
      }
    }
  }

  // MARK: Parts

  private func respond(
    _ routed: RoutedExchange,
    _ reply: (WebhookAdministration, Request) throws(APIError) -> Signal<APIReply, StoreError>
  ) {
    responder.respond(routed.exchange) { (request) throws(APIError) in
      guard let webhooks else { throw APIError(.notFound) }
      return try reply(webhooks, request)
    }
  }

  private func find(
    _ routed: RoutedExchange,
    _ reply:
      @escaping @Sendable (WebhookList, Webhook, WebhookAdministration)
      -> Signal<APIReply, StoreError>
  ) {
    respond(routed) { webhooks, _ in
      let id = String(routed["id"] ?? "")
      return webhooks.store.webhooks().flatMap { list in
        guard let webhook = list.webhooks.first(where: { $0.id == id }) else {
          return .just(.problem(.notFound))
        }
        return reply(list, webhook, webhooks)
      }
    }
  }

  private func change(
    _ routed: RoutedExchange, showsSecret: Bool = false,
    _ change: (String, Members, WebhookTargets) throws(APIError) -> WebhookChange
  ) {
    respond(routed) { (webhooks, request) throws(APIError) in
      let members = request.body.isEmpty ? Members() : try request.decode(Members.self)
      let change = try change(String(routed["id"] ?? ""), members, webhooks.targets)
      return self.change(change, webhooks, .ok, showsSecret: showsSecret)
    }
  }

  private func change(
    _ change: WebhookChange, _ webhooks: WebhookAdministration, _ status: HTTPResponse.Status,
    showsSecret: Bool
  ) -> Signal<APIReply, StoreError> {
    webhooks.store.change(change, at: now()).map { result in
      switch result {
      case .changed(let webhook, let epoch):
        let secret = webhooks.secrets.text(ofWebhook: webhook.id, generation: webhook.generation)
        let reply = APIReply.json(status) { object in
          object.webhook(webhook, in: epoch, secret: showsSecret ? secret : nil)
        }
        guard status == .created, case .response(var response) = reply else { return reply }
        response.fields[.location] = "/api/webhooks/\(webhook.id)"
        return .response(response)
      case .unknown: return .problem(.notFound)
      case .tooMany: return .problem(.tooManyWebhooks)
      case .expired(let count): return .problem(.webhookEventsExpired(count))
      }
    }
  }

  private static func check(_ url: String, _ targets: WebhookTargets) throws(APIError) {
    do throws(WebhookURLError) {
      try targets.check(url)
    } catch {
      switch error {
      case .malformed: throw APIError(.invalidParameter("url"))
      case .notAllowed: throw APIError(.webhookTargetNotAllowed)
      }
    }
  }

  private static func types(_ members: Members) throws(APIError) -> EventTypes? {
    guard let names = members.types else { return nil }
    guard let types = EventTypes(names.joined(separator: ",")) else {
      throw APIError(.invalidParameter("types"))
    }
    return types
  }

  private static func start(_ members: Members) throws(APIError) -> WebhookStart? {
    guard let text = members.from else { return nil }
    guard let start = WebhookStart(text) else { throw APIError(.invalidParameter("from")) }
    return start
  }
}

extension APIReply {
  /// Creates a response with an object.
  fileprivate static func json(
    _ status: HTTPResponse.Status, _ members: (inout JSONObject) -> Void
  ) -> APIReply {
    var json = JSONText()
    json.object(members)
    return .response(.json(status, json))
  }
}
