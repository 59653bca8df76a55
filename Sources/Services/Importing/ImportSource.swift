internal import Platform

/// The product whose export is imported.
package enum ImportSource: String, CaseIterable, Sendable {
  case enlist
  case mailchimp
  case listmonk
  case buttondown
  case substack
  case ghost
  case keila
  /// A file whose columns are named like ours, or are mapped.
  case other

  /// The name for people.
  var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// Recognizes the product by the names of its columns.
  package init(columns: [String]) {
    let names = Set(columns.map { $0.lowercased() })
    let product = Self.allCases.first { $0.signs.contains { names.isSuperset(of: $0) } }
    self = product ?? .other
  }

  /// The names of columns, in lowercase, by which a product is recognized; one set suffices.
  private var signs: [Set<String>] {
    switch self {
    case .enlist: [["address", "state", "created_at", "confirmed_at"]]
    case .mailchimp: [["member_rating", "leid"], ["member_rating", "euid"]]
    case .listmonk: [["uuid", "email", "attributes", "status"]]
    case .buttondown:
      ["email", "email_address"].flatMap { address in
        ["type", "subscriber_type"].map { [address, $0, "creation_date"] }
      }
    case .substack: [["email", "active_subscription", "email_disabled"]]
    case .ghost: [["email", "subscribed_to_emails"]]
    case .keila: [["email", "status", "external id"]]
    case .other: []
    }
  }

  /// What imports the file of a product which is only recognized, with these columns, in lowercase;
  /// `nil` for the others.
  ///
  /// Their columns also say who has left, in words of their own. Rows with other words are rejected.
  func remedy(for columns: [String]) -> String? {
    switch self {
    case .enlist, .mailchimp, .listmonk, .other: return nil
    case .buttondown:
      let address = columns.contains("email_address") ? "email_address" : "email"
      let type = columns.contains("type") ? "type" : "subscriber_type"
      return """
        --map address=\(address) --map created_at=creation_date \
        --map state=\(type),regular=subscribed,premium=subscribed,gifted=subscribed,\
        unactivated=pending,unsubscribed=unsubscribed,removed=unsubscribed,complained=complaint,\
        undeliverable=hard_bounce
        """
    case .substack:
      return """
        --map address=email --map created_at=created_at \
        --map state=email_disabled,false=subscribed,true=unsubscribed
        """
    case .ghost:
      let deleted = columns.contains("deleted_at") ? " --map unsubscribed_at=deleted_at" : ""
      return """
        --map address=email --map created_at=created_at\(deleted) \
        --map state=subscribed_to_emails,true=subscribed,false=unsubscribed
        """
    case .keila:
      return "--map address=Email --map state=Status,active=subscribed,unsubscribed=unsubscribed"
    }
  }

  /// Whether a column of this product, by its name in lowercase, never says who has left.
  func saysNothing(in column: String) -> Bool {
    self == .mailchimp
      && [
        "optin_time", "confirm_time", "unsub_campaign_title", "unsub_campaign_id", "unsub_reason",
        "unsub_reason_other", "clean_campaign_title", "clean_campaign_id",
      ].contains(column)
  }

  /// The columns of a product, in lowercase, by what they contain.
  ///
  /// Mailchimp's first column is the address, whatever its name.
  var columns: [ImportedPart: [String]] {
    switch self {
    case .enlist: Self.ownColumns
    case .mailchimp:
      [
        .createdAt: ["optin_time"], .confirmedAt: ["confirm_time"],
        .clientAddress: ["confirm_ip", "optin_ip"], .unsubscribedAt: ["unsub_time"],
        .suppressedAt: ["clean_time"],
      ]
    case .listmonk: [.address: ["email"], .createdAt: ["created_at"], .status: ["status"]]
    case .buttondown, .substack, .ghost, .keila, .other:
      Self.ownColumns.merging([
        .address: ["address", "email", "e-mail", "email address", "email_address"]
      ]) { $1 }
    }
  }

  private static let ownColumns: [ImportedPart: [String]] = [
    .address: ["address"], .state: ["state"], .reason: ["reason"], .locale: ["locale"],
    .createdAt: ["created_at"], .confirmedAt: ["confirmed_at"],
    .unsubscribedAt: ["unsubscribed_at"],
  ]
}

/// The content of a column of an import.
package enum ImportedPart: Hashable, Sendable {
  case address
  case state
  case reason
  case locale
  case createdAt
  case confirmedAt
  case unsubscribedAt
  case suppressedAt
  case clientAddress
  /// Another product's state, of which only `blocklisted` is understood.
  case status
  /// One of the owner's fields.
  case field(String)

  /// The name in `--map`; `nil` for those that only products have.
  package init?(mapped name: String, fields: [String]) {
    let parts: [ImportedPart] =
      [
        .address, .state, .reason, .locale, .createdAt, .confirmedAt, .unsubscribedAt,
        .clientAddress,
      ] + fields.map { .field($0) }
    guard let part = parts.first(where: { $0.name == name }) else { return nil }
    self = part
  }

  /// The name in messages.
  var name: String {
    switch self {
    case .address: "address"
    case .state, .status: "state"
    case .reason: "reason"
    case .locale: "locale"
    case .createdAt: "created_at"
    case .confirmedAt: "confirmed_at"
    case .unsubscribedAt: "unsubscribed_at"
    case .suppressedAt: "suppressed_at"
    case .clientAddress: "ip"
    case .field(let name): name
    }
  }
}

/// A row of an imported file.
package struct ImportRow: Sendable {
  /// The line in which the row begins, from 1.
  package let line: Int
  /// The cells in the order of the columns.
  package let cells: [String]
  /// The columns that have something in this row which is not a text, such as a list.
  let unreadable: Set<Int>
  /// The consents of a person of an Enlist export.
  package let consents: [ExportedConsent]
  package let isMalformed: Bool
  /// The line of NDJSON.
  package let object: String?

  package init(
    line: Int, cells: [String], unreadable: Set<Int> = [], consents: [ExportedConsent] = [],
    isMalformed: Bool = false, object: String? = nil
  ) {
    self.line = line
    self.cells = cells
    self.unreadable = unreadable
    self.consents = consents
    self.isMalformed = isMalformed
    self.object = object
  }

  /// Whether a spreadsheet has left the row empty.
  package var isEmpty: Bool {
    unreadable.isEmpty && cells.allSatisfy { $0.allSatisfy(\.isWhitespace) }
  }
}

/// The reason why a file cannot be imported.
package enum ImportError: Error, Hashable, CustomStringConvertible {
  case noColumns
  /// No line of NDJSON is an object.
  case noObjects
  /// The file is not text in UTF-8: what it is, and what to do.
  case otherFile(String)
  case notUTF8(line: Int)
  case tooManyColumns
  /// The first line has an address, so it is not a header.
  case noHeader
  case noAddresses(columns: [String])
  case notImported(ImportSource, remedy: String)
  case noState(ImportSource)
  /// Columns that are not read may say who has left.
  case unreadStatus([StatusColumns.Objection])
  /// The people of a file of Mailchimp have never agreed to any mail.
  case neverAgreed
  /// A cell begins with an apostrophe, as in our exports, but the file is another one.
  case apostrophe(line: Int)
  case unknownColumn(String, columns: [String])
  /// It is uncertain where the row of a line ends.
  case uncertainEnd(line: Int)
  case cannotOpen(file: String, reason: String)

  package var description: String {
    switch self {
    case .noColumns: "the file has no header: the first line must name its columns"
    case .noObjects: "no line is an object of JSON: use jq -c . FILE | enlist import -"
    case .otherFile(let remedy): "the file is \(remedy)"
    case .notUTF8(let line):
      """
      line \(line) is not UTF-8; nothing was imported: save the file as CSV UTF-8, or if it is \
      windows-1252, as Excel's CSV often is, use iconv -f windows-1252 -t utf-8
      """
    case .tooManyColumns: "the file has more than 1,000 columns"
    case .noHeader:
      "the first line is a person, but must name the columns: add a line above it, such as address"
    case .noAddresses(let columns):
      "no column is named like an address: add --map address=COLUMN with one of \(Self.list(columns))"
    case .notImported(let source, let remedy):
      "this is an export of \(source.name), whose columns are not known; add \(remedy)"
    case .noState(.listmonk):
      "listmonk does not say who has left a list: export each by subscription status, and add --state"
    case .noState(.mailchimp):
      "the file does not say who has left: give it the name that Mailchimp gave it, or add --state"
    case .noState:
      "no column has the state: add --map state=COLUMN, or --state if all have the same"
    case .unreadStatus(let objections): Self.question(objections)
    case .neverAgreed:
      "these people never agreed to any mail, as Mailchimp's name of the file says: do not import them"
    case .apostrophe(let line):
      """
      line \(line) has a cell that begins with an apostrophe, as in an export of Enlist: add \
      --from enlist, which removes it, or --from other if it belongs to the cell
      """
    case .unknownColumn(let name, let columns):
      "the file has no column \(name), but \(Self.list(columns))"
    case .uncertainEnd(let line):
      """
      a quote or a line end in the wrong place makes it uncertain where the row of line \(line) \
      ends; nothing was imported
      """
    case .cannotOpen(let file, let reason): "cannot open \(file): \(reason)"
    }
  }

  private static func question(_ objections: [StatusColumns.Objection]) -> String {
    let single = objections.count == 1 ? objections.first : nil
    let columns = objections.map { "\($0.column) (\($0.values))" }.joined(separator: ", ")
    let subject =
      single.map { "column \($0.column) may say who has left (\($0.values))" }
      ?? "columns \(columns) may say who has left"
    let maps = objections.map { objection in
      let column = quoted(objection.column)
      return objection.hasDates
        ? "--map unsubscribed_at=\(column)"
        : "--map state=\(column),VALUE=STATE with a state for each value"
    }
    let ignored = objections.map { "--ignore \(quoted($0.column))" }.joined(separator: " ")
    return """
      \(subject): add \(maps.joined(separator: ", or ")), or import a file for each with its --state, \
      or add \(ignored) \(single == nil ? "for what does" : "if it does") not say so
      """
  }

  /// The name of a column as a shell takes it.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: "-")
    }
    // Scalars, because a quote and a combining mark after it are a single character.
    let scalars = name.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
    return isPlain ? name : "'\(scalars.joined())'"
  }

  /// The names that columns have, with invisible characters as `\u{200b}`.
  private static func list(_ columns: [String]) -> String {
    let names = columns.filter { !$0.isEmpty }.map { name in
      name.unicodeScalars.map { scalar in
        let isVisible =
          scalar == " "
          || !scalar.properties.isWhitespace && scalar.properties.generalCategory != .format
        return isVisible ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      }.joined()
    }
    return names.joined(separator: ", ")
  }
}
