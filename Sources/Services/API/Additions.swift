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
