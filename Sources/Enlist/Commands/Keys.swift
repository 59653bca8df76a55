internal import ArgumentParser
internal import ListStorage
internal import MailingList
internal import Security

/// The `enlist keys` command, which manages the keys of the operator's listener.
///
/// Only this command, with access to the database, manages keys, so a stolen key cannot create
/// another.
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Manage keys of the operator's listener.",
    discussion: """
      A key is sent as Authorization: Bearer KEY; the database contains only its hash. The commands \
      work while the service is running.
      """,
    subcommands: [CreateKey.self, ListKeys.self, RevokeKey.self]
  )
}

/// The `enlist keys create` command.
struct CreateKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create a key, and print it once.",
    discussion: """
      The key is the only line on standard output, and cannot be shown again.
      """
  )

  private static let scopeNames = KeyScope.allCases.map(\.rawValue).joined(separator: ", ")

  @Option(help: "What the key is for, for example the name of a program")
  var name: String
  @Option(help: "What the key allows, separated by commas: \(Self.scopeNames)")
  var scopes: String
  @Option(help: "When the key expires: a duration such as 12h or 90d (default: never)")
  var expires: String?
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let settings = try readSettings()
    let now = Timestamp.now
    let values: (name: String, scopes: Set<KeyScope>, expiresAt: Timestamp?)
    do throws(SettingError) {
      values = (
        try KeyArguments.name(name), try KeyArguments.scopes(scopes),
        try expires.map { text throws(SettingError) in
          now.adding(try KeyArguments.lifetime(text))
        }
      )
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
    let key = APIKey()
    do {
      try ListKeyAdministration(openAccess(settings)).create(
        StoredKey(
          id: key.id, name: values.name, scopes: values.scopes, hash: key.hash, createdAt: now,
          expiresAt: values.expiresAt))
      try OutputStream.standardOutput.write(line: key.text)
    } catch let error as OutputError {
      throw CommandFailure.exit(saying: "\(error); revoke the key \(key.id), which no one has seen")
    } catch {
      throw CommandFailure.exit(saying: "\(error)", code: CommandFailure.serverCode(of: error))
    }
  }
}

/// The `enlist keys list` command.
struct ListKeys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List all keys, without their secrets.",
    discussion: """
      Shows when each key was last used, to the minute, and from which network (/24 or /48). A key \
      with an origin was used by a page in a browser: everyone who sees the page knows the key.
      """
  )

  @Option(help: "Output format: text or json (default: text)")
  var format: String?
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let settings = try readSettings()
    let format = try readFormat()
    try reportingErrors {
      let list = KeyList(keys: try ListKeyAdministration(openAccess(settings)).keys(), now: .now)
      let lines =
        switch format {
        case .text: list.lines
        case .json: list.jsonLines
        }
      for line in lines { try OutputStream.standardOutput.write(line: line) }
    }
  }

  private func readFormat() throws(ExitCode) -> LogFormat {
    guard let format else { return .text }
    if let known = LogFormat(rawValue: format) { return known }
    let error = SettingError(
      setting: "--format", value: format, reason: "expected one of text, json")
    throw CommandFailure.exit(saying: error, code: 64)
  }
}

/// The `enlist keys revoke` command.
struct RevokeKey: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a key permanently.",
    discussion: "The service rejects it from the next request on.")

  @Argument(help: "The id of the key: the eight characters after enlist_")
  var id: String
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let settings = try readSettings()
    let id = KeyArguments.id(id)
    try reportingErrors {
      let isNew = try ListKeyAdministration(openAccess(settings)).revoke(id, at: .now)
      try OutputStream.standardOutput.write(
        line: isNew ? "revoked \(id)" : "\(id) was revoked before")
    }
  }
}
