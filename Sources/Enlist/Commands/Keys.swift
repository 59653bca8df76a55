internal import ArgumentParser
internal import HTTPSignals
internal import MailingList
internal import Services
internal import Security

/// Only this command, with access to the database, manages keys: a stolen one cannot create another.
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Manage keys of the operator's listener.",
    discussion: """
      A key is sent as Authorization: Bearer KEY; the database contains only its hash. The commands \
      work while the service is running.
      """,
    subcommands: [Create.self, List.self, Revoke.self]
  )

  fileprivate static let scopes = Operator.scopes.map(\.rawValue).joined(separator: ", ")

  struct Create: Command {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Create a key, and print it once.",
      discussion: "The key is the only line on standard output, and cannot be shown again.")

    @Option("What the key is for, for example the name of a program", .line(64))
    var name: String
    @Option("What the key allows, separated by commas: \(Keys.scopes)", .scopes)
    var scopes: Set<KeyScope>
    @Option("When the key expires (default: never)", .duration("1m", "3650d", such: "12h or 90d"))
    var expires: Duration?
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func run(_ settings: Settings) throws {
      let (key, now) = (APIKey(), Timestamp.now)
      let stored = StoredKey(
        id: key.id, name: name, scopes: scopes, hash: key.hash, createdAt: now,
        expiresAt: expires.map(now.adding))
      try ListKeyAdministration(openAccess(settings)).create(stored)
      do throws(OutputError) {
        try say(key.text)
      } catch {
        throw Failure(
          "\(error); revoke the key \(key.id), which no one has seen",
          code: ExitCodes.code(of: error))
      }
    }
  }

  struct List: Command {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List all keys, without their secrets.",
      discussion: """
        Shows when each key was last used, to the minute, and from which network (/24 or /48). A key \
        with an origin was used by a page in a browser: everyone who sees the page knows the key.
        """
    )

    @Option("Output format: text or json (default: text)", .choice)
    var format: LogFormat?
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func run(_ settings: Settings) throws {
      let keys = try ListKeyAdministration(openAccess(settings)).keys()
      let now = Timestamp.now
      if format == .json {
        for key in keys { try say(JSONText.line { $0.key(key, at: now) }) }
      } else {
        for line in Self.columns(keys, at: now) { try say(line) }
      }
    }

    /// A header, and a line for each key.
    static func columns(_ keys: [StoredKey], at now: Timestamp) -> [String] {
      let header = [
        "ID", "NAME", "SCOPES", "STATUS", "CREATED", "EXPIRES", "LAST USED", "FROM", "ORIGIN",
      ]
      let rows = keys.map { key in
        [
          key.id, key.name, key.scopeText, key.status(at: now).rawValue, minute(key.createdAt),
          key.expiresAt.map(minute) ?? "never", key.lastUsedAt.map(minute) ?? "never",
          key.lastUsedFrom ?? "-", key.lastOrigin ?? "-",
        ]
      }
      let widths = header.indices.map { column in
        ([header] + rows).map { $0[column].count }.max() ?? 0
      }
      return ([header] + rows).map { row in
        zip(row, widths.dropLast()).reduce("") { line, cell in
          line + cell.0 + String(repeating: " ", count: cell.1 - cell.0.count + 2)
        } + (row.last ?? "")
      }
    }

    private static func minute(_ time: Timestamp) -> String {
      String(time.description.prefix(16)).replacing("T", with: " ")
    }
  }

  struct Revoke: Command {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Revoke a key permanently.",
      discussion: "The service rejects it from the next request on.")

    @Argument(help: "The id of the key: the eight characters after enlist_")
    var id: String
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func run(_ settings: Settings) throws {
      // Of a whole key, no secret may appear in any output.
      let id =
        id.hasPrefix(APIKey.prefix) ? String(id.dropFirst(APIKey.prefix.count).prefix(8)) : id
      let isNew = try ListKeyAdministration(openAccess(settings)).revoke(id, at: .now)
      try say(isNew ? "revoked \(id)" : "\(id) was revoked before")
    }
  }
}

extension SettingKind<Set<KeyScope>> {
  static let scopes = Self(
    "scopes that a route uses, separated by commas: \(Keys.scopes)"
  ) { text in
    StoredKey.scopes(text).flatMap { $0.isSubset(of: Operator.scopes) ? $0 : nil }
  }
}

extension JSONObject {
  fileprivate mutating func key(_ key: StoredKey, at now: Timestamp) {
    member("id", key.id)
    member("name", key.name)
    member("scopes", KeyScope.allCases.filter(key.scopes.contains).map(\.rawValue))
    member("status", key.status(at: now).rawValue)
    member("created_at", key.createdAt.description)
    member("expires_at", key.expiresAt?.description)
    member("revoked_at", key.revokedAt?.description)
    member("last_used_at", key.lastUsedAt?.description)
    member("last_used_from", key.lastUsedFrom)
    member("last_origin", key.lastOrigin)
  }
}
