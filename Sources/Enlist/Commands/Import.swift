internal import ArgumentParser
internal import Glibc
internal import HTTPSignals
internal import ListStorage
internal import MailingList
internal import OperatorService

/// The `enlist import` command, which adds the people of another list.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Add the people of another list.",
    discussion: "Sends no mail. Repeated, it changes nothing.")

  @Argument(help: ArgumentHelp("The file; - reads standard input", valueName: "file"))
  var path: String
  @Option(help: "enlist, mailchimp, listmonk or other")
  var from: String?
  @Option(help: "csv or ndjson (default: by the first character)")
  var format: String?
  @Option(help: ArgumentHelp("What a column has: address=Email", valueName: "part=column"))
  var map: [String] = []
  @Option(help: "pending, subscribed, unsubscribed or suppressed")
  var state: String?
  @Option(help: ArgumentHelp("A column that does not say who has left", valueName: "column"))
  var ignore: [String] = []
  @Option(help: ArgumentHelp("What the people agreed to", valueName: "text"))
  var agreedTo: String?
  @Flag(help: "Reject subscribers without a date")
  var requireProof = false
  @Flag(help: "Store nothing, but print the counts")
  var dryRun = false
  @Option(help: ArgumentHelp("Default: FILE.rejected.csv", valueName: "file"))
  var rejected: String?
  @OptionGroup var form: FormOptions
  @OptionGroup var secret: SecretOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let settings = try readSettings()
    let bar = ProgressBar()
    do {
      let (format, source) = (try readFormat(), try readSource())
      var options = try options(settings)
      let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw ImportError.cannotOpen(file: path, reason: SystemError.text(of: errno))
      }
      defer { if descriptor != STDIN_FILENO { close(descriptor) } }
      var rows = try ImportRows(descriptor, format: format)
      options.hasApostrophes = rows.format == .csv
      let mapping = try ImportMapping(rows.columns, from: source, statuses: rows.statuses, options)
      // An unwritable standard error does not prevent the import.
      try? OutputStream.standardError
        .write(line: "\(mapping.source.rawValue): \(LineText.escaped(mapping.summary))")
      let rejectedRows = RejectedRows(
        path: rejected ?? (path == "-" ? nil : "\(path).rejected.csv"), columns: rows.columns)
      let importer = try ListCommands(openAccess(settings), keyring: settings.secret)
      defer { importer.close() }
      var run = ImportRun(mapping, to: importer, isDryRun: dryRun, reject: rejectedRows.append)
      var size = stat()
      let total = fstat(descriptor, &size) == 0 ? Int(size.st_size) : 0
      let isComplete = try run.run(&rows) { rows in
        if total > 0 { bar.draw(rows.readCount, of: total) }
        return Interruption.mayProceed
      }
      bar.erase()
      try OutputStream.standardOutput.write(line: Self.report(run.counts, mapping.source))
      guard isComplete else {
        throw CommandFailure.exit(saying: "interrupted; the same command imports the rest")
      }
      if run.counts.rejected > 0 { throw ExitCode(1) }
    } catch let exit as ExitCode {
      throw exit
    } catch OutputError.closed {
      // The counts have no reader, but the people are imported.
    } catch let error as SettingError {
      throw CommandFailure.exit(saying: error, code: 64)
    } catch {
      bar.erase()
      let code: Int32 =
        switch error {
        case is ImportError: 65
        case is InputError, is OutputError: 74
        default: CommandFailure.serverCode(of: error)
        }
      throw CommandFailure.exit(saying: "\(error)", code: code)
    }
  }

  private func options(_ settings: Settings) throws(SettingError) -> ImportMapping.Options {
    var options = ImportMapping.Options()
    options.fields = settings.fields
    options.consentText = agreedTo
    options.requiresProof = requireProof
    options.ignored = Set(ignore)
    options.file = path == "-" ? "standard input" : String(path.split(separator: "/").last ?? "")
    if let state {
      options.state = Subscriber.State.allCases.first { $0.name == state }
      if options.state == nil {
        throw SettingError(
          setting: "--state", value: state,
          reason: "expected one of pending, subscribed, unsubscribed, suppressed")
      }
    }
    for text in map {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2,
        let part = ImportedPart(mapped: parts[0], fields: settings.fields.map(\.name))
      else {
        throw SettingError(
          setting: "--map",
          value: text,
          reason: """
            expected PART=COLUMN, where PART is address, state, reason, locale, created_at, \
            confirmed_at, unsubscribed_at, ip or one of --fields
            """
        )
      }
      options.map[part] = parts[1]
    }
    return options
  }

  private func readFormat() throws(SettingError) -> ExportFormat? {
    guard let format else { return nil }
    if let known = ExportFormat(rawValue: format) { return known }
    throw SettingError(setting: "--format", value: format, reason: "expected one of csv, ndjson")
  }

  private func readSource() throws(SettingError) -> ImportSource? {
    guard let from else { return nil }
    if let known = ImportSource(rawValue: from) { return known }
    let names = ImportSource.allCases.map(\.rawValue).joined(separator: ", ")
    throw SettingError(setting: "--from", value: from, reason: "expected one of \(names)")
  }

  /// Formats the counts.
  private static func report(_ counts: ImportRun.Counts, _ source: ImportSource) -> String {
    var json = JSONText()
    json.object { object in
      object.member("source", source.rawValue)
      object.member("new", counts.new)
      object.member("changed", counts.changed)
      object.member("known", counts.known)
      object.member("rejected", counts.rejected)
      object.member("without_date", counts.withoutDate)
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
