package import HTTPSignals
package import MailingList

extension JSONObject {
  /// Adds the members of an event, which are the same in pages, streams and webhooks.
  ///
  /// The state is that of the event; all else is what is stored about the subscriber now.
  package mutating func event(_ event: ListEvent, in epoch: String) {
    member("type", event.kind.name)
    member("id", "\(EventID(epoch: epoch, position: event.position))")
    member("timestamp", "\(event.time)")
    object("data") { data in
      data.object("subscriber") { $0.subscriber(event) }
      data.member("previous", event.previous?.name)
      data.member("actor", event.actor.text)
      data.member("detail", event.detail)
    }
  }

  /// Adds the members of the subscriber of an event; only id and state if deleted since.
  private mutating func subscriber(_ event: ListEvent) {
    if let stored = event.subscriber {
      subscriber(stored, event.state)
    } else {
      member("id", Int(event.subscriberID))
      member("address", nil as String?)
      member("state", event.state.name)
    }
  }
}

extension ListFeed.Part.Entry {
  /// The name of the entry's event in a stream.
  package var name: String {
    switch item {
    case .reset: "reset"
    case .begin: "snapshot.begin"
    case .subscriber: "snapshot.subscriber"
    case .end: "snapshot.end"
    case .event(let event): event.kind.name
    case .position: "position"
    }
  }

  /// The data of the entry's event in a stream.
  package func json(escaping: JSONText.Escaping = .required) -> JSONText {
    var json = JSONText(escaping: escaping)
    json.object { object in
      switch item {
      case .reset(let reason): object.member("reason", reason.rawValue)
      case .begin(let count):
        object.member("position", place.id.map { "\($0.event)" })
        object.member("subscribers", count)
      case .subscriber(let subscriber): object.subscriber(subscriber)
      case .end, .position: object.member("position", place.id.map { "\($0.event)" })
      case .event(let event): object.event(event, in: place.id?.event.epoch ?? "")
      }
    }
    return json
  }
}
