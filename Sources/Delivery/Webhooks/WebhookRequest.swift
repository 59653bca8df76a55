package import MailingList
package import Security

/// A signed request to a webhook (Standard Webhooks 1.0.0).
package struct WebhookRequest: Sendable {
  package let url: String
  package let fields: [String]
  package let body: [UInt8]

  /// Signs a message with the secrets of a webhook.
  package init(
    to webhook: Webhook, id: String, body: [UInt8], at time: Timestamp, _ secrets: WebhookSecrets
  ) {
    let seconds = time.millisecondsSince1970 / 1000
    let signatures = secrets.signatures(
      of: (id, seconds, body), ofWebhook: webhook.id, generations: webhook.generations(at: time))
    url = webhook.url
    self.body = body
    fields = [
      "Content-Type: application/json", "User-Agent: Enlist", "webhook-id: \(id)",
      "webhook-timestamp: \(seconds)", "webhook-signature: \(signatures)",
    ]
  }
}

extension WebhookRequest {
  /// Creates a request with an event that only tries the webhook.
  package static func test(
    _ webhook: Webhook, at time: Timestamp, _ secrets: WebhookSecrets
  ) -> WebhookRequest {
    let id = "test-\(time.millisecondsSince1970)"
    let body = #"{"type":"webhook.test","id":"\#(id)","timestamp":"\#(time)","data":{}}"#
    return WebhookRequest(to: webhook, id: id, body: Array(body.utf8), at: time, secrets)
  }
}

/// The result of a request to a webhook.
package struct WebhookResponse: Hashable, Sendable {
  package var result: WebhookAttempt.Result
  package var status: Int?
  /// The time that the receiver wants to be left alone.
  package var retryAfter: Duration?
  /// The beginning of the body, as text of one line.
  package var text: String?
  package var duration: Duration
  /// The address to which the request was sent.
  package var address: String?

  package init(
    result: WebhookAttempt.Result, status: Int? = nil, retryAfter: Duration? = nil,
    text: String? = nil, duration: Duration = .zero, address: String? = nil
  ) {
    self.result = result
    self.status = status
    self.retryAfter = retryAfter
    self.text = text
    self.duration = duration
    self.address = address
  }
}
