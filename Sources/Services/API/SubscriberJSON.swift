internal import EmailAddresses
internal import FoundationEssentials
package import HTTPSignals
internal import HTTPTypes
package import MailingList
internal import Security

extension JSONObject {
  /// Adds the members of a subscriber, which are the same wherever one is sent.
  ///
  /// - Parameter state: The state of an event; `nil` for the current one.
  mutating func subscriber(_ subscriber: Subscriber, _ state: Subscriber.State? = nil) {
    member("id", Int(subscriber.id))
    member("address", subscriber.address)
    let state = state ?? subscriber.state
    member("state", state.name)
    member("reason", state == .suppressed ? subscriber.suppression?.name : nil)
    member("locale", subscriber.locale)
    member("created_at", "\(subscriber.createdAt)")
    member("confirmed_at", subscriber.confirmedAt.map { "\($0)" })
    member("unsubscribed_at", subscriber.unsubscribedAt.map { "\($0)" })
    fields(subscriber.fields)
  }

  /// Adds the owner's fields, if there are any.
  mutating func fields(_ stored: String?) {
    object("fields") { object in
      for (name, value) in String.values(ofFields: stored ?? "{}").sorted(by: { $0.key < $1.key }) {
        object.member(named: name, value)
      }
    }
  }

  /// Adds the known members of a consent.
  package mutating func consent(_ recorded: RecordedConsent) {
    let consent = recorded.consent
    member("id", "\(recorded.id)")
    member("kind", recorded.kind)
    member("at", "\(recorded.time)")
    let texts: [(name: String, value: String?)] = [
      ("means", recorded.means), ("request_id", recorded.requestID.map { "\($0)" }),
      ("message_id", recorded.messageID), ("text", consent.text),
      ("source_url", consent.sourceURL), ("origin", consent.origin),
      ("ip", consent.clientAddress), ("user_agent", consent.userAgent),
      ("locale", consent.locale), ("next", consent.next),
    ]
    for case (let name, let value?) in texts { member(named: name, value) }
    if consent.fields != nil { fields(consent.fields) }
    guard let wording = recorded.wording else { return }
    object("wording") { object in
      object.member("language", wording.language)
      object.member("subject", wording.subject)
      object.member("text", wording.text)
    }
  }
}

extension Subscriber {
  private var json: JSONText {
    var json = JSONText()
    json.object { $0.subscriber(self) }
    return json
  }

  /// The tag of the object: a hash, because every change of it counts, and no other.
  var entityTag: String {
    let hash = TextHash.sha256(of: [String(decoding: json.bytes, as: UTF8.self)])
    return "\"\(hash.prefix(12).map { String(UInt16($0) | 256, radix: 16).dropFirst() }.joined())\""
  }

  /// Creates the response with the object, or one without a body for 304.
  func response(_ status: HTTPResponse.Status) -> Response {
    var response = Response.json(status, json)
    if status == .notModified { response = Response(status: status) }
    response.fields[.eTag] = entityTag
    response.fields[.cacheControl] = "no-store"
    return response
  }
}

extension String {
  /// Parses the owner's fields as stored; empty if no release has written the text.
  package static func values(ofFields json: String) -> [String: String] {
    (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))) ?? [:]
  }
}

/// The people in a body of NDJSON, one object per line, as `enlist export --consents` writes them.
struct Additions {
  /// The maximum number of people of a request, which are stored in one transaction.
  static let maximumCount = 1_000

  /// The outcome of a line.
  private enum Line {
    /// The index of the person.
    case person(Int)
    /// The name of the invalid member, or `line`.
    case invalid(String)
    /// An earlier line has the same address.
    case duplicate
  }

  /// The people, whose addresses differ.
  private(set) var people: [ImportedPerson] = []
  private var lines: [Line] = []

  /// Reads a body; `nil` if it has too many lines.
  init?(_ body: [UInt8], _ mapping: ImportMapping, at now: Timestamp) {
    var keys: Set<String> = []
    for line in body.split(separator: UInt8(ascii: "\n")) {
      guard lines.count < Self.maximumCount else { return nil }
      guard let object = try? JSONDecoder().decode(ExportedPerson.self, from: Data(line)) else {
        lines.append(.invalid("line"))
        continue
      }
      do throws(ImportMapping.Rejection) {
        let person = try mapping.person(object, at: now)
        let isFirst = keys.insert(person.address.key).inserted
        lines.append(isFirst ? .person(people.count) : .duplicate)
        if isFirst { people.append(person) }
      } catch {
        lines.append(.invalid(error.member))
      }
    }
  }

  /// Returns a line for each line of the body.
  func report(_ results: [ImportResult]) -> [UInt8] {
    lines.flatMap { line in
      var json = JSONText()
      json.object { object in
        switch line {
        case .person(let index): object.member("result", results[index].name)
        case .invalid(let member):
          object.member("result", "invalid")
          object.member("name", member)
        case .duplicate: object.member("result", "duplicate")
        }
      }
      return json.bytes + [UInt8(ascii: "\n")]
    }
  }
}

extension ImportResult {
  fileprivate var name: String {
    switch self {
    case .new: "new"
    case .changed: "changed"
    case .known: "known"
    case .suppressed: "suppressed"
    }
  }
}
