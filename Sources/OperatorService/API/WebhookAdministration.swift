package import Delivery
internal import HTTPSignals
package import MailingList
package import Security

/// The dependencies of the routes that manage webhooks.
package struct WebhookAdministration: Sendable {
  let store: any WebhookStore
  let sender: any WebhookSender
  let targets: WebhookTargets
  let secrets: WebhookSecrets

  package init(
    _ store: any WebhookStore, _ sender: any WebhookSender, _ targets: WebhookTargets,
    _ secrets: WebhookSecrets
  ) {
    self.store = store
    self.sender = sender
    self.targets = targets
    self.secrets = secrets
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
    if let status { member("status", status) } else { member("status", nil as String?) }
    member("duration_ms", Int(duration / .milliseconds(1)))
    member("response", response)
  }
}
