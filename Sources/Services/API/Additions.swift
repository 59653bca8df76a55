internal import EmailAddresses
internal import FoundationEssentials
internal import HTTPSignals
internal import MailingList

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
      switch mapping.addition(object, at: now) {
      case .success(let person) where keys.insert(person.address.key).inserted:
        lines.append(.person(people.count))
        people.append(person)
      case .success: lines.append(.duplicate)
      case .failure(let error): lines.append(.invalid(error.member))
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

/// The member of an object that prevents an addition.
struct InvalidAddition: Error {
  let member: String
}

extension ImportMapping {
  /// Reads a person to add; unlike in a file, a member of another type is an error.
  func addition(
    _ object: ExportedPerson, at now: Timestamp
  ) -> Result<ImportedPerson, InvalidAddition> {
    if let name = invalidMember(of: object) { return .failure(InvalidAddition(member: name)) }
    do throws(Rejection) {
      return .success(try person(object, at: now))
    } catch {
      return .failure(InvalidAddition(member: error.member))
    }
  }
}

extension ImportMapping.Rejection {
  /// The member of the object that is not valid.
  fileprivate var member: String {
    switch reason {
    case "unknown-state": "state"
    case "invalid-date": "created_at, confirmed_at or unsubscribed_at"
    case "invalid-field": "fields"
    case "malformed-row": "consents"
    default: "address"
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
