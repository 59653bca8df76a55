/// A table that every kind of database has, with the columns that are copied.
///
/// Tables and columns have the same names everywhere. Not part of a copy are the status log, the
/// attempts of webhooks, the table for probes, and rows of the outbox that send nothing.
package struct ListTable: Hashable, Sendable {
  /// The type of a column's values, and how a row of ``RowPart`` contains them.
  package enum Kind: Hashable, Sendable {
    /// One byte, 0 or 1.
    case flag
    /// 16 bits.
    case small
    /// 32 bits.
    case number
    /// 64 bits.
    case id
    /// 64 bits: milliseconds since 1970.
    case time
    /// UTF-8 without U+0000.
    case text
    /// Any bytes.
    case bytes
  }

  package struct Column: Hashable, Sendable {
    package let name: String
    package let kind: Kind
  }

  package let name: String
  /// The number of columns, the first ones, that form the key; rows are ordered by it.
  package let keyCount: Int
  /// The SQL condition of the copied rows; `nil` copies all.
  package let condition: String?
  /// The treatment of rows whose subscriber is not on the list.
  private var orphans: Orphans = .included
  package let columns: [Column]

  private enum Orphans {
    case included
    case excluded
    case only
  }

  private init(
    _ name: String, key keyCount: Int = 1, where condition: String? = nil,
    _ columns: [(Kind, [String])]
  ) {
    self.name = name
    self.keyCount = keyCount
    self.condition = condition
    self.columns = columns.flatMap { kind, names in
      names.map { Column(name: $0, kind: kind) }
    }
  }

  /// The secret, which links and hashes of addresses are derived from.
  package static let secret = ListTable("secret", [(.number, ["id"]), (.bytes, ["bytes"])])

  /// The table whose rows refer to subscribers that must be on the list.
  static var consents: ListTable? { all.first { $0.name == "consents" } }

  /// The rows whose subscriber is not on the list.
  var onlyOrphans: ListTable {
    var table = self
    table.orphans = .only
    return table
  }

  var withoutOrphans: ListTable {
    var table = self
    table.orphans = .excluded
    return table
  }

  /// All tables, in an order in which no row precedes one that it refers to.
  package static let all = [
    secret,
    ListTable(
      "subscribers",
      [
        (.id, ["id"]), (.text, ["address", "address_key", "locale", "fields"]),
        (.flag, ["requires_smtputf8"]), (.small, ["state", "suppression"]),
        (.number, ["rejections"]),
        (.time, ["created_at", "confirmed_at", "unsubscribed_at", "updated_at", "requested_at"]),
        (.time, ["suppressed_at"]),
      ]
    ),
    ListTable(
      "consents",
      [
        (.bytes, ["id"]), (.id, ["subscriber_id"]), (.time, ["at"]),
        (.text, ["kind", "text", "source_url", "origin", "ip", "user_agent", "locale", "next"]),
        (.text, ["means", "message_id", "fields"]), (.bytes, ["request_id", "wording"]),
      ]
    ),
    ListTable(
      "outbox",
      key: 2,
      where: "queue > 0",
      [
        (.time, ["due_at"]), (.bytes, ["id"]), (.small, ["queue", "kind", "is_claimed"]),
        (.id, ["subscriber_id"]), (.bytes, ["consent_id", "mailbox"]),
        (.time, ["created_at", "granted_at"]), (.number, ["attempts"]), (.text, ["last_error"]),
        (.small, ["is_released"]), (.bytes, ["domain"]),
      ]
    ),
    ListTable(
      "tokens",
      [
        (.bytes, ["hash", "consent_id", "wording"]), (.small, ["purpose"]),
        (.id, ["subscriber_id"]), (.time, ["made_at", "expires_at", "used_at"]),
        (.text, ["message_id"]),
      ]
    ),
    ListTable(
      "codes",
      [
        (.id, ["subscriber_id"]), (.bytes, ["hash", "consent_id", "wording"]),
        (.time, ["made_at", "expires_at"]), (.number, ["tries"]), (.text, ["message_id"]),
      ]
    ),
    ListTable("mailboxes", [(.bytes, ["mac", "times"])]),
    ListTable(
      "mail_hours", key: 2,
      [(.bytes, ["domain"]), (.number, ["hour", "sent", "confirmed", "rejected", "complaints"])]),
    ListTable(
      "wordings",
      [
        (.bytes, ["hash"]), (.small, ["kind"]), (.text, ["language", "subject", "text", "html"]),
        (.time, ["first_used_at"]),
      ]
    ),
    ListTable(
      "events",
      [
        (.id, ["position", "subscriber_id"]), (.time, ["at"]),
        (.small, ["type", "state", "previous"]),
        (.text, ["actor", "detail"]),
      ]
    ),
    ListTable("consumers", [(.text, ["name"]), (.id, ["position"])]),
    ListTable(
      "tallies", key: 3,
      [(.small, ["resolution"]), (.number, ["start"]), (.text, ["name"]), (.id, ["n"])]),
    ListTable("suppressions", [(.bytes, ["key_hash"]), (.small, ["reason"]), (.time, ["at"])]),
    ListTable(
      "keys",
      [
        (.text, ["id", "name", "scopes"]), (.bytes, ["hash"]),
        (.time, ["created_at", "expires_at", "revoked_at", "last_used_at"]),
        (.text, ["last_used_from", "last_origin"]),
      ]
    ),
    ListTable(
      "webhooks",
      [
        (.text, ["id", "url", "types", "lease_owner"]), (.id, ["generation", "position"]),
        (.small, ["status"]), (.number, ["failures"]),
        (.time, ["previous_until", "created_at", "failing_since", "lease_until"]),
      ]
    ),
    ListTable(
      "webhook_pending",
      key: 2,
      [
        (.text, ["webhook_id"]), (.id, ["position", "subscriber_id"]), (.number, ["attempts"]),
        (.time, ["failing_since", "next_at"]),
      ]
    ),
  ]
}

extension ListTable {
  package var columnList: String { Self.list(columns) }

  /// Returns the statement that counts the rows to copy.
  package func countSQL(schema: String = "") -> String {
    "SELECT count(*) FROM \(schema)\(name)\(Self.whereSQL(conditions(schema)))"
  }

  /// Returns the statement that reads a part of the rows, in the order of their keys.
  ///
  /// - Parameter isFirst: Whether this is the first part; otherwise `$1` and so on are the key
  ///   after which it begins.
  package func selectSQL(schema: String = "", isFirst: Bool) -> String {
    let key = columns.prefix(keyCount)
    let parameters = (1...keyCount).map { "$\($0)" }.joined(separator: ", ")
    let isLater = isFirst ? nil : "(\(Self.list(key))) > (\(parameters))"
    let conditions = conditions(schema) + [isLater].compactMap(\.self)
    return """
      SELECT \(columnList) FROM \(schema)\(name)\(Self.whereSQL(conditions)) \
      ORDER BY \(Self.list(key)) LIMIT \(RowPart.maximumCount)
      """
  }

  private func conditions(_ schema: String) -> [String] {
    let known = "(SELECT id FROM \(schema)subscribers)"
    let orphan: String? =
      switch orphans {
      case .included: nil
      case .excluded: "subscriber_id IN \(known)"
      case .only: "subscriber_id NOT IN \(known)"
      }
    return [condition, orphan].compactMap(\.self)
  }

  private static func whereSQL(_ conditions: [String]) -> String {
    conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
  }

  private static func list(_ columns: some Collection<Column>) -> String {
    columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
  }
}
