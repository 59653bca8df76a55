internal import ArgumentParser
internal import Logging
internal import MailingList
internal import PostgreSQLStorage
internal import SQLiteStorage

struct Backup: Command {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the database to a file.",
    discussion: """
      Works while the service is running, and no sign-up waits for it. A backup contains personal \
      data and, without --secret, the secret of the service; only its owner can access it.
      """
  )

  @Argument(help: "Path of the backup; its folder must exist", completion: .file())
  var target: String
  @OptionGroup var flags: SettingFlags<DatabaseSettings>

  func run(_ settings: Settings) throws {
    let path = try settings.databaseFile(orElse: "use pg_dump, or the server's own backups")
    let backup = try ProgressBar.during { bar in
      try SQLiteBackup.write(path, to: target, busyTimeout: settings.databaseTimeout) {
        bar.draw($0.copiedBytes, of: $0.totalBytes)
      }
    }
    try say(
      """
      wrote \(LineText.escaped(target)): \(backup.byteCount) bytes, \
      schema version \(backup.schemaVersion)
      """)
  }
}

struct Restore: Command {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put a backup in the place of the database.",
    discussion: """
      Stop the service first. The backup is verified before anything changes, and the old database is \
      kept next to the new one, under its name with .replaced- and the time.
      """
  )

  @Argument(help: "Path of the backup; it is not changed", completion: .file())
  var backup: String
  @OptionGroup var flags: SettingFlags<DatabaseSettings>

  func run(_ settings: Settings) throws {
    let path = try settings.databaseFile(
      orElse: "stop all replicas and use pg_restore, or the server's own backups")
    let logger = Log.bootstrap(settings)
    let restore = try ProgressBar.during { bar in
      try SQLiteRestore.run(
        backup, to: path, busyTimeout: settings.databaseTimeout, warn: { logger.warning("\($0)") },
        proceed: { bar.draw($0.copiedBytes, of: $0.totalBytes) })
    }
    try say("restored \(restore.contents.counts)")
    if let line = restore.migration.summary { try say(line) }
    if let replaced = restore.replaced {
      try say("kept the old database as \(LineText.escaped(replaced))")
    }
  }
}

struct Verify: Command {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check that the database or a backup is intact.",
    discussion: """
      Checks the schema, every page, index and reference, and reads every row as the service reads \
      it. Changes nothing, and works while the service is running.
      """
  )

  @Argument(help: "Path of a backup (default: the database)", completion: .file())
  var backup: String?
  @OptionGroup var flags: SettingFlags<DatabaseSettings>

  func run(_ settings: Settings) throws {
    let path =
      try backup
      ?? settings.databaseFile(orElse: "use pg_amcheck; to verify a backup file, give its path")
    let result = try SQLiteVerification.run(on: path, busyTimeout: settings.databaseTimeout)
    let unread =
      "; this program needs \(result.latestVersion), so the rows were not read one by one"
    try say(
      "intact: \(result.counts), schema version \(result.schemaVersion)"
        + (result.areRowsRead ? "" : unread))
  }
}

struct Migrate: Command {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate the database to the schema of this release.",
    discussion: """
      The service does the same when it starts; this command does it at a time of your choice, while \
      no service uses the database. Make a backup first: an older release cannot use the database \
      afterwards.
      """
  )

  @OptionGroup var flags: SettingFlags<DatabaseSettings>

  func run(_ settings: Settings) throws {
    let path = try settings.databaseFile(
      orElse: "start one replica of the new release, which migrates the schema")
    let logger = Log.bootstrap(settings)
    let migration = try SQLiteMigration.run(
      on: path, busyTimeout: settings.databaseTimeout, warn: { logger.warning("\($0)") })
    try say(migration.summary ?? "schema version \(migration.to) is current")
  }
}

struct Copy: Command {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy the list from SQLite to PostgreSQL, or back.",
    discussion: """
      Stop the service first, all replicas of it; the target is a new database. A copy that is \
      interrupted is resumed by the same command.
      """
  )

  @Option(help: "Database that has the list: sqlite:PATH or postgres://…")
  var from: String
  @Option(help: "Database that gets the list")
  var to: String
  @Flag(help: "Leave out consents of subscribers who are not on the list")
  var skipOrphans = false
  @OptionGroup var flags: SettingFlags<CopySettings>

  func run(_ settings: Settings) throws {
    let (from, to) = try locations()
    let logger = Log.bootstrap(settings)
    let copy = try ListCopy(
      from: open(from, as: .source, settings, logger), to: open(to, as: .target, settings, logger),
      skipsOrphans: skipOrphans)
    let skipped = skipOrphans ? try copy.orphanCount() : 0
    let tables = try ProgressBar.during { bar in
      try copy.run { progress in
        switch progress {
        case .copied(let done, let total): bar.draw(done, of: total, .rows("copied"))
        case .compared(let done, let total): bar.draw(done, of: total, .rows("compared"))
        }
      }
    }
    for table in tables { try say("\(table.name): \(table.rows) on both sides") }
    if skipped > 0 { try say("left out \(counted(skipped, "consent")) without a subscriber") }
    if !tables.contains(where: { $0.name == ListTable.secret.name && $0.rows.count > 0 }) {
      try say("The list contains no secret: start the service with the same --secret.")
    }
  }

  /// The databases, which are not read by the argument parser: it would print a wrong one with its
  /// password.
  private func locations() throws(SettingError) -> (from: DatabaseLocation, to: DatabaseLocation) {
    func location(_ text: String, of flag: String) throws(SettingError) -> DatabaseLocation {
      let kind = SettingKind<DatabaseLocation>.database
      if let location = kind.read(text) { return location }
      throw SettingError(setting: flag, value: text, reason: kind.fault(of: text))
    }
    let locations = (from: try location(from, of: "--from"), to: try location(to, of: "--to"))
    let remedy =
      switch locations {
      case (.sqlite, .postgresql), (.postgresql, .sqlite): String?.none
      case (.sqlite, .sqlite): "for another file, use enlist backup and enlist restore"
      case (.postgresql, .postgresql): "for another server, use pg_dump and pg_restore"
      }
    if let remedy { throw SettingError(setting: "--to", value: to, reason: remedy) }
    return locations
  }

  private func open(
    _ location: DatabaseLocation, as role: CopyRole, _ settings: Settings, _ logger: Logger
  ) throws -> any CopyEnd {
    switch location {
    case .sqlite(let path):
      try SQLiteCopyEnd(
        path: path, as: role, busyTimeout: settings.databaseTimeout,
        warn: { logger.warning("\($0)") })
    case .postgresql(let parameters, _):
      try PostgreSQLCopyEnd(parameters, as: role, timeout: settings.serverTimeout)
    }
  }
}

extension SQLiteMigration {
  fileprivate var summary: String? {
    from == to ? nil : "migrated from schema version \(from) to \(to)"
  }
}

extension SQLiteVerification {
  fileprivate var counts: String {
    "\(counted(subscribers, "subscriber")) and \(counted(consents, "consent"))"
  }
}

extension Settings {
  /// - Parameter remedy: What serves the purpose for a list on a server.
  fileprivate func databaseFile(orElse remedy: String) throws(Failure) -> String {
    guard case .sqlite(let path) = self.database else {
      throw Failure(
        "the list is in PostgreSQL, and this command is for SQLite files: \(remedy)",
        code: ExitCodes.usage)
    }
    return path
  }
}
