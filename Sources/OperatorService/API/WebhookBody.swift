internal import HTTPSignals
package import MailingList

/// The body of a request to a webhook.
package enum WebhookBody {
  /// Returns an event as JSON.
  @Sendable
  package static func bytes(_ event: ListEvent, in epoch: String) -> [UInt8] {
    var json = JSONText()
    json.object { $0.event(event, in: epoch) }
    return json.bytes
  }
}
