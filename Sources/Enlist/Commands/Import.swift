internal import ArgumentParser
internal import Glibc
internal import HTTPSignals
internal import MailingList
internal import Services

struct Import: Command {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the people of another list, without any mail.",
    usage: "enlist import [<options>] <file>")

  @Argument(help: ArgumentHelp("The file; - reads standard input", valueName: "file"))
  var path: String
  @Option("enlist, mailchimp, listmonk or other", .choice)
  var from: ImportSource?
  @Option("csv or ndjson (default: by the first character)", .choice)
  var format: ExportFormat?
  @Option(
    help: ArgumentHelp(
      "address=Email, or state=Status,active=subscribed",
      valueName: "part=column"))
  var map: [String] = []
  @Option("pending, subscribed, unsubscribed or suppressed", .named(\.name))
  var state: Subscriber.State?
  @Option(help: ArgumentHelp("A column that does not say who has left", valueName: "column"))
  var ignore: [String] = []
  @Option(help: ArgumentHelp("What the people agreed to", valueName: "text"))
  var agreedTo: String?
  @Flag(help: "Reject subscribers without a date")
  var requireProof = false
  @Flag(help: "Store nothing, but print the counts")
  var dryRun = false
  @Option(help: ArgumentHelp("Default: FILE.rejected.csv or .ndjson", valueName: "file"))
  var rejected: String?
  @OptionGroup var flags: SettingFlags<PeopleSettings>

  func run(_ settings: Settings) throws {
    let options = try options(settings)
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ImportError.cannotOpen(file: path, reason: SystemError.text(of: errno))
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var rows = try ImportRows(descriptor, format: format, from: from)
    let mapping = try ImportMapping(rows.columns, from: from, statuses: rows.statuses, options)
    // An unwritable standard error does not prevent the import.
    try? OutputStream.standardError
      .write(line: "\(mapping.source.rawValue): \(LineText.escaped(mapping.summary))")
    let rejectedPath = rejected ?? (path == "-" ? nil : "\(path).rejected.\(rows.format.rawValue)")
    var (file, other) = (stat(), stat())
    let total = fstat(descriptor, &file) == 0 ? Int(file.st_size) : 0
    if let rejectedPath, stat(rejectedPath, &other) == 0, file.st_ino == other.st_ino,
      file.st_dev == other.st_dev
    {
      throw ImportError.cannotOpen(file: rejectedPath, reason: "it is the file to import")
    }
    let importer = try ListCommands(openAccess(settings), keyring: settings.secret)
    defer { importer.close() }
    var run = ImportRun(
      mapping: mapping, importer: importer, isDryRun: dryRun,
      rejected: RejectedRows(path: rejectedPath, of: rows))
    let isComplete = try ProgressBar.during { bar in
      try run.run(&rows) { rows in
        total > 0 ? bar.draw(rows.readCount, of: total) : Interruption.mayProceed
      }
    }
    let counts = run.counts
    try say(
      JSONText.line { object in
        object.member("source", mapping.source.rawValue)
        object.member("new", counts.new)
        object.member("changed", counts.changed)
        object.member("known", counts.known)
        object.member("kept", counts.kept)
        object.member("rejected", counts.rejected)
        object.member("without_date", counts.withoutDate)
      })
    let place = rejectedPath.map { "\($0) has" } ?? "--rejected FILE keeps"
    if counts.foreignReasons > 0 {
      let reasons = Suppression.allCases.map(\.name).joined(separator: ", ")
      CommandFailure.warn(
        """
        \(counted(counts.foreignReasons, "suppression has", "suppressions have")) a reason other \
        than \(reasons): imported with the reason operator
        """)
    }
    if counts.kept > 0 {
      CommandFailure.warn(
        """
        \(counted(counts.kept, "person stays", "people stay")) subscribed though the file says that \
        they have left: it has no date of leaving after they confirmed. enlist suppress removes \
        them; \(place) their rows, as still-subscribed
        """)
    }
    if let first = run.firstRejected {
      CommandFailure.warn(
        """
        rejected \(counted(counts.rejected, "row", "rows")), the first in line \(first.line): \
        \(first.reason); \(place) them
        """)
    }
    guard isComplete else { throw Failure("interrupted; the same command imports the rest") }
    if counts.rejected > 0 { throw ExitCode(1) }
  }

  private func options(_ settings: Settings) throws(SettingError) -> ImportMapping.Options {
    var options = ImportMapping.Options()
    options.fields = settings.fields
    options.consentText = agreedTo
    options.requiresProof = requireProof
    options.ignored = Set(ignore)
    options.state = state
    options.file = path == "-" ? "standard input" : String(path.split(separator: "/").last ?? "")
    for text in map {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2,
        let part = ImportedPart(mapped: parts[0], fields: settings.fields.map(\.name))
      else {
        throw Self.invalidMap(
          text,
          """
          PART=COLUMN, where PART is address, state, reason, locale, created_at, confirmed_at, \
          unsubscribed_at, ip or one of --fields
          """)
      }
      let pieces = parts[1].split(separator: ",", omittingEmptySubsequences: false)
      let values = part == .state ? pieces.dropFirst().drop { !$0.contains("=") } : []
      options.map[part] = pieces.dropLast(values.count).joined(separator: ",")
      for value in values {
        guard let end = value.lastIndex(of: "="),
          let state = Self.state(named: value[value.index(after: end)...])
        else {
          throw Self.invalidMap(
            text,
            """
            state=COLUMN,VALUE=STATE, where STATE is pending, subscribed, unsubscribed, suppressed, \
            complaint, objected or hard_bounce
            """)
        }
        options.states[value[..<end].lowercased()] = state
      }
    }
    return options
  }

  private static func invalidMap(_ text: String, _ expected: String) -> SettingError {
    SettingError(setting: "--map", value: text, reason: "expected \(expected)")
  }

  private static func state(named name: Substring) -> (Subscriber.State, Suppression?)? {
    if let state = Subscriber.State.allCases.first(where: { $0.name == name }) {
      return (state, nil)
    }
    return Suppression.allCases.first { $0.name == name }.map { (.suppressed, $0) }
  }
}
