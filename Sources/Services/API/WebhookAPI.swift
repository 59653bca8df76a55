package import Delivery
internal import HTTPSignals
internal import HTTPTypes
package import MailingList
internal import Security
internal import Signals

/// The handlers of webhooks.
extension Operator {
  private struct Members: Decodable {
    var url: String?
    var types: [String]?
    var from: String?
    /// Seconds.
    var overlap: Int?
  }

  /// The times for which a previous secret may sign, in seconds.
  private static let overlaps = 0...7 * 86_400

  /// `GET /api/webhooks`.
  func webhooks(_ call: Call) -> Signal<Response, ProblemDetails> {
    read { list throws(StoreError) in try list.webhookTable.webhooks() }.map { list in
      .json { object in
        object.array("webhooks", list.webhooks) { $1.webhook($0, in: list.epoch) }
      }
    }
  }

  /// `GET /api/webhooks/{id}`.
  func webhook(_ call: Call) -> Signal<Response, ProblemDetails> {
    find(call).map { webhook, epoch in .json { $0.webhook(webhook, in: epoch) } }
  }

  /// `POST /api/webhooks`; only this response and that of a rotation have the secret.
  func createWebhook(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let members = try call.request.decode(Members.self)
    guard let url = members.url else { throw .invalidParameter("url") }
    let webhook = Webhook(
      url: try checked(url), types: try types(members) ?? .subscribers, createdAt: now())
    let start = try start(members) ?? .now
    return change(.create(webhook, from: start), .created, showsSecret: true)
  }

  /// `PATCH /api/webhooks/{id}`.
  func updateWebhook(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let members = try members(of: call)
    let url = try members.url.map { url throws(ProblemDetails) in try checked(url) }
    return change(.update(id: call.id, url: url, types: try types(members)))
  }

  /// `DELETE /api/webhooks/{id}`.
  func deleteWebhook(_ call: Call) -> Signal<Response, ProblemDetails> {
    change(.delete(id: call.id)).map { _ in Response(status: .noContent) }
  }

  /// `POST /api/webhooks/{id}/rotate`.
  func rotateSecret(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    let overlap = try members(of: call).overlap
    guard Self.overlaps.contains(overlap ?? 0) else { throw .invalidParameter("overlap") }
    let time = overlap.map { .seconds($0) } ?? Webhook.overlap
    return change(.rotate(id: call.id, overlap: time), showsSecret: true)
  }

  /// `POST /api/webhooks/{id}/enable`.
  func enableWebhook(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    change(.enable(id: call.id, from: try start(try members(of: call))))
  }

  /// `POST /api/webhooks/{id}/disable`.
  func disableWebhook(_ call: Call) throws(ProblemDetails) -> Signal<Response, ProblemDetails> {
    _ = try members(of: call)
    return change(.disable(id: call.id))
  }

  /// `POST /api/webhooks/{id}/test`: responds when the receiver has responded.
  func testWebhook(_ call: Call) -> Signal<Response, ProblemDetails> {
    find(call).flatMap { [now, webhookClient, webhookSecrets] webhook, _ in
      webhookClient.send(.test(webhook, at: now(), webhookSecrets))
        .promoteError(to: ProblemDetails.self)
        .map { response in .json { $0.response(response) } }
    }
  }

  /// `GET /api/webhooks/{id}/attempts`.
  func webhookAttempts(_ call: Call) -> Signal<Response, ProblemDetails> {
    find(call).flatMap { [self] webhook, epoch in
      read { list throws(StoreError) in try list.webhookTable.attempts(ofWebhook: webhook.id) }
        .map { attempts in
          .json { object in object.array("attempts", attempts) { $1.attempt($0, in: epoch) } }
        }
    }
  }

  // MARK: Parts

  private func members(of call: Call) throws(ProblemDetails) -> Members {
    call.request.body.isEmpty ? Members() : try call.request.decode(Members.self)
  }

  private func find(_ call: Call) -> Signal<(Webhook, String), ProblemDetails> {
    read { list throws(StoreError) in try list.webhookTable.webhooks() }
      .tryMap { list throws(ProblemDetails) in
        guard let webhook = list.webhooks.first(where: { $0.id == call.id }) else {
          throw .notFound
        }
        return (webhook, list.epoch)
      }
  }

  private func change(
    _ change: WebhookChange, _ status: HTTPResponse.Status = .ok, showsSecret: Bool = false
  ) -> Signal<Response, ProblemDetails> {
    let time = now()
    return self.change { list throws(StoreError) in try list.webhookTable.change(change, at: time) }
      .tryMap { [webhookSecrets] result throws(ProblemDetails) in
        switch result {
        case .changed(let webhook, let epoch):
          let secret =
            showsSecret
            ? webhookSecrets.text(ofWebhook: webhook.id, generation: webhook.generation) : nil
          var response = Response.json(status) { object in
            object.webhook(webhook, in: epoch, secret: secret)
          }
          if status == .created { response.fields[.location] = "/api/webhooks/\(webhook.id)" }
          return response
        case .unknown: throw .notFound
        case .tooMany: throw ProblemDetails(APIProblem.tooManyWebhooks)
        case .expired(let count): throw .webhookEventsExpired(count)
        }
      }
  }

  private func checked(_ url: String) throws(ProblemDetails) -> String {
    do throws(WebhookURLError) {
      return try webhookClient.targets.check(url)
    } catch {
      switch error {
      case .malformed: throw .invalidParameter("url")
      case .notAllowed: throw ProblemDetails(APIProblem.webhookTargetNotAllowed)
      }
    }
  }

  private func types(_ members: Members) throws(ProblemDetails) -> EventTypes? {
    guard let names = members.types else { return nil }
    guard let types = EventTypes(names.joined(separator: ",")) else {
      throw .invalidParameter("types")
    }
    return types
  }

  private func start(_ members: Members) throws(ProblemDetails) -> WebhookStart? {
    guard let text = members.from else { return nil }
    guard let start = WebhookStart(text) else { throw .invalidParameter("from") }
    return start
  }
}

extension JSONObject {
  /// Adds the members of a webhook, which are the same in the API and on the command line.
  ///
  /// - Parameter secret: The secret, if it is shown.
  package mutating func webhook(_ webhook: Webhook, in epoch: String, secret: String? = nil) {
    member("id", webhook.id)
    member("url", webhook.url)
    member("types", webhook.types.text.split(separator: ",").map(String.init))
    member("status", webhook.health.status.name)
    member("failing_since", webhook.health.failingSince.map { "\($0)" })
    member("last", "\(EventID(epoch: epoch, position: webhook.position))")
    member("pending", webhook.pendingCount)
    member("created_at", "\(webhook.createdAt)")
    member("previous_secret_until", webhook.previousUntil.map { "\($0)" })
    if let secret { member("secret", secret) }
  }

  /// Adds the members of a response to a test.
  package mutating func response(_ response: WebhookResponse) {
    result(response.result, response.status, response.duration, response.text)
    member("address", response.address)
  }

  package mutating func attempt(_ attempt: WebhookAttempt, in epoch: String) {
    member("event", "\(EventID(epoch: epoch, position: attempt.position))")
    member("at", "\(attempt.time)")
    result(attempt.result, attempt.status, attempt.duration, attempt.response)
    member("next_at", attempt.next.map { "\($0)" })
  }

  private mutating func result(
    _ result: WebhookAttempt.Result, _ status: Int?, _ duration: Duration, _ response: String?
  ) {
    member("result", result.rawValue)
    if let status { member("status", status) } else { member("status", nil) }
    member("duration_ms", Int(duration / .milliseconds(1)))
    member("response", response)
  }
}

extension ListEvent {
  /// Returns the body of a request to a webhook.
  package func webhookBody(in epoch: String) -> [UInt8] {
    var json = JSONText()
    json.object { $0.event(self, in: epoch) }
    return json.bytes
  }
}
