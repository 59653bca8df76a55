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

extension JSONObject {
  mutating func event(_ event: ListEvent, in epoch: String) {
    member("type", event.kind.name)
    member("id", "\(EventID(epoch: epoch, position: event.position))")
    member("timestamp", "\(event.time)")
    object("data") { data in
      data.object("subscriber") { object in
        if let stored = event.subscriber {
          object.subscriber(stored)
        } else {
          object.member("id", Int(event.subscriberID))
          object.member("address", nil as String?)
          object.member("state", event.state.name)
        }
      }
      data.member("previous", event.previous?.name)
      data.member("actor", event.actor.text)
      data.member("detail", event.detail)
    }
  }
}
