import Foundation
import TestSupport
import Testing

/// What does not start, by exit code: those of docs/commands.md.
@Suite struct DoesNotStartTests {
  // MARK: 64: a flag, an argument or a setting is invalid

  @Test func `an invalid value stops startup with one line and exit code 64`() throws {
    let duration = "expected a duration such as 250ms, 30s, 5m or 1h, from"
    let listen =
      "expected an address and a port, 127.0.0.1:8080 or [::]:8080; unix:PATH; or systemd"
    let database = "expected sqlite:PATH, or postgres://USER@HOST[,HOST]/DATABASE with ports and "
    let rows = [
      Refusal(invalid: "--listen 8080", listen),
      Refusal(invalid: "--listen localhost:8080", listen),
      Refusal("healthcheck --listen a\nb", #"invalid value "a\nb" for --listen: \#(listen)"#),
      Refusal(invalid: "healthcheck --listen systemd", "only the service knows the socket "),
      Refusal(invalid: "serve --database postgres://x", database),
      Refusal(invalid: "--database list.sqlite", database),
      Refusal(invalid: "--database sqlite:", database),
      Refusal(invalid: "--database sqlite::memory:", database),
      Refusal(invalid: "--database-timeout 61s", "\(duration) 0s to 1m"),
      Refusal(invalid: "--status-stream of", "expected one of public, off"),
      Refusal(invalid: "--public-url https://a.org/x", "expected none, or a scheme, a host and "),
      Refusal(invalid: "--allowed-origins *", "expected none, or origins without a path, "),
      Refusal(invalid: "--dns-server ns.a.org", "expected system, or an address and a port "),
      Refusal(invalid: "--threads 257", "expected a whole number from 1 to 256"),
      Refusal(invalid: "--connection-rate 100", "expected off, or a number from 1 to 10000 and "),
      Refusal("--max-streams=-1", #"invalid value "-1" for --max-streams: expected a whole "#),
      Refusal(invalid: "--request-timeout 30", "\(duration) 1s to 1h"),
      Refusal(invalid: "--trusted-proxies 10.0.0.0/99", "expected none, or networks separated "),
      Refusal(invalid: "--max-body 16KB", "expected a size such as 4096, 16KiB or 1GiB, from "),
      Refusal(invalid: "--stream-lifetime 10m..5m", "expected a duration, or a range such as "),
      Refusal(invalid: "--log-level loud", "expected one of trace, debug, info, notice, warning"),
      Refusal("--list-name a\nb", #"invalid value "a\nb" for --list-name: expected none, or at "#),
      Refusal(invalid: "--accent-color blue", "expected none, or a color such as #1f5fa8"),
      Refusal(invalid: "--fields name,name", "expected none, or at most 8 different names of "),
      Refusal("--fields city,id*", #"invalid value "city,id*" for --fields: id is a name of the "#),
      Refusal(invalid: "--operator-listen systemd", "expected none, or an address and a port, "),
      Refusal(invalid: "--operator-max-connections 0", "expected a whole number from 1 to 10000"),
      Refusal(invalid: "--metrics-access all", "expected one of key, open"),
      Refusal(invalid: "--event-retention 12h", "expected forever, or a duration such as 30d, "),
      Refusal(invalid: "--webhook-networks 10.0.0.1/8", "expected none, or networks separated "),
      Refusal(invalid: "--smtp-url mail.example.com", "expected none, or smtp://[user:password@]"),
      Refusal(invalid: "--mail-from news", "expected none, or ADDRESS, or NAME <ADDRESS>, "),
      Refusal(invalid: "--bounce-address none", "expected from, or an ASCII address: bounces@"),
      Refusal(invalid: "--mail-budget 5/90m", "expected off, or a number from 1 to 1000000 and "),
    ]
    try expect(64, rows)
  }

  @Test func `an invalid value of a command is reported in the same way`() throws {
    let people = ["people.csv": "email\na@b.org\n"]
    let rows = [
      Refusal("check --email-level lax a@b.org", #"invalid value "lax" for --email-level: expe"#),
      Refusal(
        "send-test ana@example.com",
        #"invalid value "none" for --smtp-url: expected --smtp-url or --mail-to-directory"#),
      Refusal(invalid: "webhooks create --url x", "expected a URL such as https://example.org/"),
      Refusal(invalid: "webhooks create --url http://a.org", "expected https, a public address"),
      Refusal(
        invalid: "import people.csv --state subscribed --map x=email",
        "expected PART=COLUMN, where PART is address, state, ", files: people),
      Refusal(
        invalid: "copy --from sqlite:a --to sqlite:b",
        "for another file, use enlist backup and enlist restore"),
      Refusal(
        invalid: "copy --from postgres://a/b --to postgres://c/d",
        "for another server, use pg_dump and pg_restore"),
    ]
    try expect(64, rows)
  }

  @Test func `a wrong word for an option of a command is rejected, with the usage`() throws {
    let rows = [
      Refusal(word: "export --format xml", "expected one of csv, ndjson"),
      Refusal("export --format csv --consents", "Error: --consents requires --format ndjson."),
      Refusal(word: "export --state gone", "expected one of pending, subscribed, unsubscr"),
      Refusal(word: "suppress a@b.org --reason spam", "expected one of hard_bounce, complaint, "),
      Refusal(word: "erase a@b.org --suppress all", "expected one of imports, everything, "),
      Refusal(word: "held --network x", "expected a network such as 192.0.2.0/24"),
      Refusal(
        word: "keys create --name x --scopes metrics,all",
        "expected scopes that a route uses, separated by commas: metrics, "),
      Refusal(
        word: "keys create --scopes metrics --name a\u{2028}b",
        "expected at most 64 bytes without control characters"),
      Refusal(
        word: "keys create --name x --scopes metrics --expires 1s",
        "expected a duration such as 12h or 90d, from 1m to 3650d"),
      Refusal(word: "keys list --format xml", "expected one of text, json"),
      Refusal(
        word: "webhooks create --url https://a.org --types gone",
        "expected types or groups such as subscriber.*, separated by commas: "),
      Refusal(word: "events --types gone", "expected types or groups such as subscriber.*, "),
      Refusal(word: "import people.csv --state x", "expected one of pending"),
      Refusal(word: "import people.csv --from yahoo", "expected one of enlist, mailchimp, "),
    ]
    try expect(64, rows)
  }

  @Test(
    arguments: [
      "postgres://u:hunter@127.0.0.1:99999/list", "postgres://u:hunter@127.0.0.1:0/list",
      "postgres://u:hunter@127.0.0.1/list?sslmode=maybe", "sqlite://u:hunter@127.0.0.1/list",
    ]
  )
  func `a URL that cannot be used is an invalid setting`(_ url: String) throws {
    let shown = url.replacing("hunter", with: "***")
    let line = #"invalid value "\#(shown)" for --database: expected sqlite:PATH, or postgres://"#
    let rows = [Refusal("--database \(url)", line)]
    for command in ["serve", "serve --check \(Self.limits)", "export"] {
      try expect(64, rows, of: command)
    }
  }

  @Test func `a command does not validate the settings of others`() throws {
    let wrong = [
      "ENLIST_THREADS": "many", "ENLIST_TLS_KEY": "key", "ENLIST_DRAIN_FILE": "nowhere",
      "ENLIST_ALLOWED_ORIGINS": "*",
    ]
    let healthcheck = Refusal("healthcheck --listen unix:no", "unix:no is not ready: No such file")
    let missing = "Cannot open the database enlist.sqlite: the file does not exist."
    try expect(1, [Refusal("export", missing), healthcheck], in: wrong)
    let faults = """
      invalid value "nowhere" for ENLIST_DRAIN_FILE: the file cannot be read
      invalid value "*" for ENLIST_ALLOWED_ORIGINS: expected none
      invalid value "many" for ENLIST_THREADS: expected a whole number
      """
    try expect(64, [Refusal("serve", faults)], in: wrong)
  }

  @Test func `a command for the list validates only the settings that it uses`() throws {
    let missing = "Cannot open the database enlist.sqlite: the file does not exist."
    let networks = ["ENLIST_WEBHOOK_NETWORKS": "x"]
    let texts = networks.merging(["ENLIST_FIELDS": "id", "ENLIST_PUBLIC_URL": "x"]) { $1 }
    let all = texts.merging(["ENLIST_SECRET": "x"]) { $1 }
    let commands = [
      "backup copy.sqlite", "verify", "migrate", "count", "events", "held", "keys list",
      "webhooks list", "webhooks enable x",
    ]
    try expect(1, commands.map { Refusal($0, missing) }, in: all)
    let commandsWithSecret = ["suppress a@b.org", "erase a@b.org", "webhooks rotate x"]
    try expect(1, commandsWithSecret.map { Refusal($0, missing) }, in: texts)
    try expect(1, ["export", "show a@b.org"].map { Refusal($0, missing) }, in: networks)
    let fault = #"invalid value "x" for ENLIST_WEBHOOK_NETWORKS: expected none, or networks"#
    try expect(64, [Refusal("webhooks test x", fault)], in: networks)
  }

  @Test func `the program hides the password of a rejected value`() throws {
    let rows = [
      Refusal(
        "--database mysql://u:hunter@h/list", #"invalid value "mysql://u:***@h/list" for --dat"#),
      Refusal("--smtp-url smtp//u:hunter@a.org", #"invalid value "smtp//u:***@a.org" for --smtp"#),
      Refusal("--secret hunter", #"invalid value "***" for --secret: expected generated, or ba"#),
      Refusal("", #"invalid value "***" for ENLIST_SECRET: "#, in: ["ENLIST_SECRET": "hunter"]),
    ]
    try expect(64, rows)
  }

  @Test func `the error for an invalid environment variable names the variable`() throws {
    let rows = [
      Refusal(
        "", #"invalid value "often" for ENLIST_HEARTBEAT: expected a duration"#,
        in: ["ENLIST_HEARTBEAT": "often"]),
      Refusal(
        "", #"invalid value "" for ENLIST_THREADS: expected a whole number from 1 to 256"#,
        in: ["ENLIST_THREADS": ""]),
      Refusal(
        "", #"invalid value "no" for ENLIST_DRAIN_FILE: the file cannot be read: No such file"#,
        in: ["ENLIST_DRAIN_FILE": "no"]),
      Refusal(
        "", #"invalid value "drain" for ENLIST_DRAIN_FILE: the file is longer than 65536 bytes"#,
        files: ["drain": String(repeating: "1", count: 65_537)],
        in: ["ENLIST_DRAIN_FILE": "drain"]),
      Refusal(
        "", #"invalid value "a" for ENLIST_DRAIN_FILE: ENLIST_DRAIN is also set; set only one"#,
        in: ["ENLIST_DRAIN_FILE": "a", "ENLIST_DRAIN": "1s"]),
    ]
    try expect(64, rows)
  }

  @Test func `the program reads a setting from a file`() throws {
    let rows = [
      Refusal(
        "",
        #"invalid value "drain" for ENLIST_DRAIN_FILE: the content of the file is invalid; "#,
        files: ["drain": "nowhere\n"], in: ["ENLIST_DRAIN_FILE": "drain"]),
      Refusal(
        "export", #"invalid value "url" for ENLIST_DATABASE_FILE: the content of the file is "#,
        files: ["url": "list.sqlite"], in: ["ENLIST_DATABASE_FILE": "url"]),
      Refusal(
        "--config a.json", #"invalid value "0" for threads in a.json: expected a whole number"#,
        files: ["a.json": #"{"threads": 0}"#]),
      Refusal(
        invalid: "--config a.json", #"unknown setting "thread"; known settings: listen, "#,
        files: ["a.json": #"{"thread": 1}"#]),
      Refusal(
        invalid: "--config a.json", #""threads" must be a string or a number"#,
        files: ["a.json": #"{"threads": {}}"#]),
      Refusal(
        invalid: "--config a.json", "the file must be a JSON object", files: ["a.json": "[1]"]),
    ]
    try expect(64, rows)
  }

  @Test func `settings that do not fit together or name unusable files are reported`() throws {
    let sender = "--mail-from news@example.org --public-url https://list.example.org"
    let relay = "--smtp-url smtp://relay.invalid \(sender)"
    let rows = [
      Refusal(
        invalid: "--opt-in double", "double opt-in requires --smtp-url or --mail-to-directory"),
      Refusal("--tls-certificate a", #"invalid value "none" for --tls-key: --tls-certificate req"#),
      Refusal(
        "--tls-certificate nowhere.pem --tls-key nowhere.pem",
        #"invalid value "nowhere.pem" for --tls-certificate: the file cannot be read: No such f"#),
      Refusal(
        "--smtp-url smtp://a.org", "--mail-from: --smtp-url requires --mail-from, the sender"),
      Refusal(
        "\(relay) --templates templates", "--templates: confirm.txt:1:1: tag is not closed",
        files: ["templates/confirm.txt": "{{unclosed"]),
      Refusal(
        invalid: "\(sender) --mail-to-directory nowhere/mail",
        "the directory cannot be created: No such file or directory"),
      Refusal(invalid: "--config nowhere.json", "the file cannot be read"),
      // The first seven, one of each kind, also with `--check`.
      Refusal("--tls-key a", #"invalid value "none" for --tls-certificate: --tls-key requires "#),
      Refusal(
        "--smtp-user list", "--smtp-url: --smtp-user requires --smtp-url, the relay to which"),
      Refusal(
        "--smtp-password x", "--smtp-url: --smtp-password requires --smtp-url, the relay to "),
      Refusal("--smtp-ca ca.pem", "--smtp-url: --smtp-ca requires --smtp-url, the relay to which "),
      Refusal(
        "--mail-to-directory mail \(sender) --templates templates",
        "--templates: confirm.txt:1:1: tag is not closed",
        files: ["templates/confirm.txt": "{{unclosed"]),
      Refusal(invalid: "--webhook-ca nowhere.pem", "the file cannot be read: No such file"),
      Refusal(
        "--mail-to-directory mail \(sender) --smtp-tls off",
        "--smtp-url: --smtp-tls requires --smtp-url, the relay to which it applies"),
      Refusal(
        "--smtp-url smtp://relay.example.com --mail-from news@example.org",
        "--public-url: --smtp-url requires --public-url, with which the links in each mail begin"),
      Refusal(
        "--mail-to-directory mail",
        "--mail-from: --mail-to-directory requires --mail-from, the sender of each mail"),
      Refusal(
        invalid: "\(relay) --mail-to-directory mail",
        "--smtp-url is also set; set only one of them"),
      Refusal(
        "\(relay) --smtp-password x",
        "--smtp-user: --smtp-password requires --smtp-user, the user with that password"),
      Refusal(
        invalid: "--smtp-url smtps://relay.invalid \(sender) --smtp-tls off",
        "smtps:// always requires TLS"),
      Refusal(
        invalid: "\(relay) --smtp-user list --smtp-tls opportunistic",
        "a user requires TLS that is verified, otherwise anyone on the way can read the password"),
      Refusal(invalid: "\(relay) --smtp-ca no.pem", "the file cannot be read: No such file"),
      Refusal(
        invalid: "\(relay) --smtp-ca ca.pem", "the file contains no certificate in PEM format",
        files: ["ca.pem": "none"]),
      Refusal(
        invalid: "--listen 127.0.0.1:9 --operator-listen 127.0.0.1:9",
        "expected another address than that of --listen"),
      Refusal(invalid: "--secret-file nowhere", "the file cannot be read: No such file"),
      Refusal(invalid: "--secret a --secret-file b", "--secret is also set; set only one of them"),
      Refusal(invalid: "--logo logo", "the file is neither PNG nor SVG", files: ["logo": "GIF89a"]),
      Refusal(
        "--texts texts", #"invalid value "texts/de.json" for --texts: no text has the name heding"#,
        files: ["texts/de.json": #"{"heding": "x"}"#]),
    ]
    let errors = try expect(64, rows, of: "serve")
    // What `--check` rejects does not start, with the same message.
    let errorsOfCheck = try expect(64, Array(rows.prefix(7)), of: "serve --check \(Self.limits)")
    #expect(errorsOfCheck == Array(errors.prefix(7)))
  }

  @Test func `a misspelled variable is reported before the setting that is missing`() throws {
    let rows = [
      Refusal(
        "--smtp-url smtp://relay.example.com --mail-from news@example.org",
        """
        warning: ENLIST_PUBLIC_ULR: no setting has this name; did you mean ENLIST_PUBLIC_URL?
        --public-url: --smtp-url requires
        """, in: ["ENLIST_PUBLIC_ULR": "https://list.example.org"])
    ]
    try expect(64, rows)
  }

  @Test func `an argument that is missing or unknown is rejected, with the usage`() throws {
    let rows = [
      Refusal("--color red", "Error: Unknown option '--color'."),
      Refusal("--listen", "Error: Missing value for '--listen <listen>'"),
      Refusal("serve export", "Error: Unexpected argument 'export'"),
      Refusal("check", "Error: Missing expected argument '<addresses> ...'"),
      Refusal("backup", "Error: Missing expected argument '<target>'"),
      Refusal("copy --from sqlite:a.sqlite", "Error: Missing expected argument '--to <to>'"),
      Refusal("keys create --name x", "Error: Missing expected argument '--scopes <scopes>'"),
      Refusal("events --after 1 --snapshot", "Error: --after and --snapshot exclude each other."),
    ]
    try expect(64, rows)
  }

  @Test func `a command for files says what to do with a server instead`() throws {
    let reason = "the list is in PostgreSQL, and this command is for SQLite files: "
    let rows = [
      Refusal("backup copy.sqlite", reason + "use pg_dump, or the server's own backups"),
      Refusal("restore copy.sqlite", reason + "stop all replicas and use pg_restore, or the "),
      Refusal("verify", reason + "use pg_amcheck; to verify a backup file, give its path"),
      Refusal("migrate", reason + "start one replica of the new release, which migrates the "),
    ]
    try expect(64, rows, in: ["ENLIST_DATABASE": "postgres://list@db.invalid/list"])
  }

  // MARK: 65: a file is damaged, or not what it should be

  @Test func `a file that is not a database, a backup or a list is reported in one line`() throws {
    let rows = [
      Refusal("verify text", Self.damaged, files: Self.text),
      Refusal("restore text", Self.damaged, files: Self.text),
      Refusal("backup copy.sqlite --database sqlite:text", Self.damaged, files: Self.text),
      Refusal("migrate --database sqlite:text", Self.damaged, files: Self.text),
      Refusal("import text", "no column is named like an address: add --map ", files: Self.text),
      Refusal("import nowhere.csv", "cannot open nowhere.csv: No such file or directory"),
      Refusal("import -", "the file is empty"),
      Refusal(
        "import people.csv", "no column has the state: add --map state=COLUMN, or --state if all",
        files: ["people.csv": "email\na@b.org\n"]),
    ]
    try expect(65, rows)
  }

  @Test func `a file that is no database is reported by every command in one line`() throws {
    let rows = Self.commandsOfList.map {
      Refusal("\($0) --database sqlite:text", Self.damaged, files: Self.text)
    }
    try expect(65, rows)
  }

  // MARK: 69: no connection to the database server

  @Test func `a command reports a server that cannot be reached in one line`() throws {
    // No other process gets the port.
    let listener = try LocalListener(refuses: true)
    let commands = [
      "export", "show a@b.org", "erase a@b.org", "held", "events --follow", "keys list",
      "webhooks list",
    ]
    try expect(
      69,
      commands.map { Refusal($0, "The database server cannot be reached (dbname=list host=127.0") },
      in: [
        "ENLIST_DATABASE": "postgres://u:hunter@127.0.0.1:\(listener.port)/list",
        "ENLIST_DATABASE_TIMEOUT": "100ms",
      ])
    withExtendedLifetime(listener) {}
  }

  // MARK: 74: the file of an import cannot be read

  @Test func `a folder is not imported`() throws {
    let rows = [
      Refusal(
        "import list --state subscribed", "cannot read the input: Is a directory",
        files: ["list/people.csv": ""])
    ]
    try expect(74, rows)
  }

  // MARK: 1: any other failure

  @Test func `a missing database is reported in one line`() throws {
    func missing(_ file: String) -> String {
      "Cannot open the database \(file): the file does not exist."
    }
    try expect(
      1,
      Self.commandsOfList.map { Refusal($0, missing("enlist.sqlite")) } + [
        Refusal("verify nowhere", missing("nowhere")),
        Refusal("restore nowhere", missing("nowhere")),
        Refusal("restore enlist.sqlite", "enlist.sqlite is the database itself"),
        Refusal("copy --from sqlite:nowhere --to postgres://h/l", missing("nowhere")),
        Refusal(
          "import people.csv --state subscribed",
          "other: reading email as address\n\(missing("enlist.sqlite"))",
          files: ["people.csv": "email\na@b.org\n"]),
      ])
  }

  @Test func `a database that cannot be opened stops startup with one line`() throws {
    let damaged = [
      Refusal("--database sqlite:text", Self.damaged, files: Self.text),
      Refusal("export --database sqlite:text", Self.damaged, files: Self.text),
    ]
    try expect(65, damaged)
    let rows = [
      Refusal(
        "--database sqlite:folder",
        "Cannot open the database folder: it is not a regular file.", files: ["folder/a": ""]),
      Refusal(
        "--database sqlite:nowhere/x",
        "Cannot open the database nowhere/x: the folder nowhere does not exist."),
    ]
    try expect(1, rows)
  }

  @Test func `a second instance on the same port exits with one line`() throws {
    let service = try Enlist()
    let address = "127.0.0.1:\(service.port)"
    let line = "Cannot listen on \(address): Address already in use."
    try expect(1, [Refusal("--listen \(address)", line)])
    try service.get("/livez").expect(200)
  }

  @Test func `a command that cannot begin changes nothing`() throws {
    let rows = [
      Refusal("show nobody", "nothing was shown: address 1 is invalid: An address needs an @ "),
      Refusal("suppress a@b.org nobody", "nothing was suppressed: address 2 is invalid: An "),
      Refusal("erase a@b.org nobody", "nothing was erased: address 2 is invalid: An address "),
      Refusal("healthcheck --listen unix:nowhere", "unix:nowhere is not ready: No such file or"),
      Refusal("templates text", "text: the directory cannot be created", files: Self.text),
    ]
    try expect(1, rows)
  }

  // MARK: Helpers

  /// The commands that work on the list, except `import`, which also needs a file.
  private static let commandsOfList = [
    "export", "count", "show a@b.org", "events", "suppress a@b.org", "held", "held release",
    "held drop", "erase a@b.org", "backup copy.sqlite", "verify", "migrate", "keys list",
    "keys create --name x --scopes read", "keys revoke x", "webhooks list", "webhooks show x",
    "webhooks create --url https://example.org", "webhooks update x --types mail.*",
    "webhooks rotate x", "webhooks enable x", "webhooks disable x", "webhooks test x",
    "webhooks delete x",
  ]
  private static let text = ["text": String(repeating: "no database\n", count: 1000)]
  private static let damaged =
    "The database text is damaged or not a database: file is not a database."
  /// Limits that fit everywhere, so that no warning says otherwise.
  private static let limits = "--max-connections 100 --max-streams 50"

  /// Expects of each row the exit code, its lines and no other, no output, no password, and no new
  /// file.
  ///
  /// - Returns: What each row says.
  @discardableResult private func expect(
    _ code: Int32, _ rows: [Refusal], of command: String = "",
    in environment: [String: String] = [:]
  ) throws -> [String] {
    // The log has nothing to say of what does not start but its error.
    let standard = ["ENLIST_LISTEN": "127.0.0.1:0", "ENLIST_LOG_LEVEL": "error"]
    return try rows.map { row in
      let folder = try Folder()
      for (name, text) in row.files {
        let parent = URL(filePath: folder(name)).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try folder.write(text, to: name)
      }
      let before = try folder.names
      let words = "\(command) \(row.words)".split(separator: " ").map(String.init)
      let run = try Child.run(
        ["enlist"] + words, in: folder,
        environment: standard.merging(environment) { $1 }.merging(row.environment) { $1 })
      let what: Comment = "\(words) \(row.environment): \(run)"
      #expect(run.end == .exit(code), what, sourceLocation: row.location)
      #expect(run.output.isEmpty, what, sourceLocation: row.location)
      #expect(row.isExpected(run.errors), what, sourceLocation: row.location)
      #expect(!run.errors.contains("hunter"), what, sourceLocation: row.location)
      let after = try folder.names.filter { !$0.hasSuffix("-lock") }
      #expect(Set(after) == Set(before), what, sourceLocation: row.location)
      return run.errors
    }
  }
}

/// A row of a table: files, arguments and variables with which the program does not start, and what
/// it says.
private struct Refusal {
  /// The arguments, separated by spaces.
  let words: String
  /// What the lines on standard error begin with, after `enlist: `, if they do.
  let text: String
  let files: [String: String]
  let environment: [String: String]
  let location: SourceLocation

  init(
    _ words: String, _ text: String, files: [String: String] = [:],
    in environment: [String: String] = [:], location: SourceLocation = #_sourceLocation
  ) {
    (self.words, self.text, self.files) = (words, text, files)
    (self.environment, self.location) = (environment, location)
  }

  /// A row whose last argument is an invalid value of the flag before it.
  init(
    invalid words: String, _ reason: String, files: [String: String] = [:],
    location: SourceLocation = #_sourceLocation
  ) {
    let last = words.split(separator: " ").suffix(2)
    let text = #"invalid value "\#(last.last ?? "")" for \#(last.first ?? ""): \#(reason)"#
    self.init(words, text, files: files, location: location)
  }

  /// A row whose last argument is a wrong word for the option of a command before it.
  init(word words: String, _ reason: String, location: SourceLocation = #_sourceLocation) {
    let last = words.split(separator: " ").suffix(2)
    let option = last.first ?? ""
    let text =
      "Error: The value '\(last.last ?? "")' is invalid for '\(option) <\(option.dropFirst(2))>': "
    self.init(words, text + reason, location: location)
  }

  /// Whether standard error has the lines of the row, or its first one and the usage.
  func isExpected(_ errors: String) -> Bool {
    guard !text.hasPrefix("Error: ") else {
      return errors.hasPrefix(text) && errors.contains("\nUsage: enlist ")
    }
    let (lines, starts) = (errors.split(separator: "\n"), text.split(separator: "\n"))
    return lines.count == starts.count && errors.hasSuffix("\n")
      && zip(lines, starts).allSatisfy { $0 == $1 || $0.hasPrefix("enlist: \($1)") }
  }
}
