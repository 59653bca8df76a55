internal import HTTPSignals
internal import MailingList

/// The list of keys that `enlist keys list` prints.
struct KeyList {
  let keys: [StoredKey]
  let now: Timestamp

  /// The lines for people: a header, and a line for each key, in columns.
  var lines: [String] {
    let header = [
      "ID", "NAME", "SCOPES", "STATUS", "CREATED", "EXPIRES", "LAST USED", "FROM", "ORIGIN",
    ]
    let rows =
      [header]
      + keys.map { key in
        [
          key.id, key.name, key.scopeText, key.status(at: now).rawValue,
          Self.minute(key.createdAt), key.expiresAt.map(Self.minute) ?? "never",
          key.lastUsedAt.map(Self.minute) ?? "never", key.lastUsedFrom ?? "-",
          key.lastOrigin ?? "-",
        ]
      }
    let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      return cells.joined(separator: "  ")
    }
  }

  /// The lines for programs: one JSON object for each key.
  var jsonLines: [String] {
    keys.map { key in
      var json = JSONText()
      json.object { object in
        object.member("id", key.id)
        object.member("name", key.name)
        object.member("scopes", KeyScope.allCases.filter(key.scopes.contains).map(\.rawValue))
        object.member("status", key.status(at: now).rawValue)
        object.member("created_at", key.createdAt.description)
        object.member("expires_at", key.expiresAt?.description)
        object.member("revoked_at", key.revokedAt?.description)
        object.member("last_used_at", key.lastUsedAt?.description)
        object.member("last_used_from", key.lastUsedFrom)
        object.member("last_origin", key.lastOrigin)
      }
      return String(decoding: json.bytes, as: UTF8.self)
    }
  }

  /// Formats a time to the minute: `2026-11-21 04:03`.
  private static func minute(_ time: Timestamp) -> String {
    String(time.description.prefix(16)).replacing("T", with: " ")
  }
}
