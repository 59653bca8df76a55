internal import ArgumentParser
internal import ListStorage
internal import MailingList
internal import PostgreSQLStorage
internal import SQLiteStorage

/// The `enlist copy` command, which moves the list from a file to a server, or back.
struct Copy: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the list from SQLite to PostgreSQL, or back.",
    discussion: """
      Stop the service first, all replicas of it; the target is a new database. A copy that is \
      interrupted is resumed by the same command.
      """
  )

  @Option(help: ArgumentHelp("Database that has the list: \(Self.expected)", valueName: "database"))
  var from: String
  @Option(
    help: ArgumentHelp("Database that gets the list: \(Self.expected)", valueName: "database"))
  var to: String
  @Flag(help: "Leave out consents of subscribers who are not on the list")
  var skipOrphans = false
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption

  private static let expected = SettingTable.service.database.expected

  func run() throws {
    let settings = try readSettings()
    let (from, to) = try readLocations()
    let logger = Log.bootstrap(settings)
    defer { LogOutput.standardError.flush() }
    let bar = ProgressBar()
    do {
      let source = try openCopyEnd(from, as: .source, settings, logger: logger)
      let target = try openCopyEnd(to, as: .target, settings, logger: logger)
      let copy = ListCopy(from: source, to: target, skipsOrphans: skipOrphans)
      let skipped = skipOrphans ? try copy.orphanCount() : 0
      let tables = try copy.run { progress in
        switch progress {
        case .copied(let done, let total): bar.draw(done, of: total, .rows("copied"))
        case .compared(let done, let total): bar.draw(done, of: total, .rows("compared"))
        }
        return Interruption.mayProceed
      }
      bar.erase()
      for line in Self.summary(of: tables, skipped: skipped) {
        try OutputStream.standardOutput.write(line: line)
      }
    } catch OutputError.closed {
      // The summary has no reader, but the copy is complete.
    } catch {
      bar.erase()
      throw CommandFailure.exit(saying: error)
    }
  }

  private func readLocations() throws(ExitCode) -> (DatabaseLocation, DatabaseLocation) {
    do throws(SettingError) {
      let source = try Self.location(from, "--from")
      let target = try Self.location(to, "--to")
      let remedy =
        switch (source, target) {
        case (.sqlite, .postgresql), (.postgresql, .sqlite): String?.none
        case (.sqlite, .sqlite): "for another file, use enlist backup and enlist restore"
        case (.postgresql, .postgresql): "for another server, use pg_dump and pg_restore"
        }
      if let remedy { throw SettingError(setting: "--to", value: to, reason: remedy) }
      return (source, target)
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
  }

  private static func location(
    _ text: String, _ flag: String
  ) throws(SettingError) -> DatabaseLocation {
    guard let location = DatabaseLocation(text) else {
      throw SettingError(setting: flag, value: text, reason: "expected \(expected)")
    }
    return location
  }

  /// Formats the lines that the command prints: one for each table, and remarks for the operator.
  static func summary(of tables: [ListCopy.Table], skipped: Int = 0) -> [String] {
    var lines = tables.map { "\($0.name): \($0.rows) on both sides" }
    if skipped > 0 {
      lines.append(
        "left out \(skipped) \(skipped == 1 ? "consent" : "consents") without a subscriber")
    }
    let hasSecret = tables.contains { $0.name == ListTable.secret.name && $0.rows.count > 0 }
    if !hasSecret {
      lines.append("The list contains no secret: start the service with the same --secret.")
    }
    return lines
  }
}
