internal import ArgumentParser
internal import MailingList
internal import Services
internal import PostgreSQLStorage
internal import SQLiteStorage

/// A command with settings: it prints its result on standard output; a failure is one line on
/// standard error, and an exit code.
protocol Command: AsyncParsableCommand {
  associatedtype Group: SettingGroup
  var flags: SettingFlags<Group> { get }
  func run(_ settings: Settings) async throws
}

extension Command {
  func run() async throws {
    ThisProcess.ignoreWriteSignals()
    let sources = SettingSources(flags.texts, of: Group.rows)
    for warning in sources.unknownVariables.map(\.description) + sources.fileWarnings {
      CommandFailure.warn(warning)
    }
    do {
      try await run(Settings(sources))
    } catch OutputError.closed {
      // A reader that closes the pipe early, as `head` does, is not a failure.
    } catch let exit as ExitCode {
      throw exit
    } catch {
      throw CommandFailure.exit(with: error)
    }
  }

  func say(_ line: String) throws(OutputError) { try OutputStream.standardOutput.write(line: line) }
}

/// A failure with a reason for the operator, and no better type.
struct Failure: Error, CustomStringConvertible {
  let description: String
  let code: Int32

  init(_ description: String, code: Int32 = 1) {
    (self.description, self.code) = (description, code)
  }
}

/// The exit codes of errors (`sysexits.h`).
enum ExitCodes {
  static let usage: Int32 = 64
  /// The data is damaged, or belongs to another program or release.
  static let data: Int32 = 65
  /// There is no database server.
  static let unavailable: Int32 = 69
  static let inputOutput: Int32 = 74
  /// Another process uses the database.
  static let busy: Int32 = 75

  static func code(of error: any Error) -> Int32 {
    switch error {
    case let failure as Failure: failure.code
    case is SettingError, is SettingErrors: usage
    case is InputError, is OutputError: inputOutput
    case BackupError.database(let error): code(of: error)
    case let error as ExportError: code(of: error.cause)
    case ErasureError.notErased(let error), ErasureError.bytesRemain(let error),
      KeyAdministrationError.store(let error):
      code(of: error)
    case is ImportError, StoreError.damaged, StoreError.replaced, StoreError.incompatible,
      StoreOpeningError.damaged, StoreOpeningError.schemaChanged, StoreOpeningError.foreign,
      StoreOpeningError.foreignLog, StoreOpeningError.changed, StoreOpeningError.schemaNewer,
      StoreOpeningError.unfinishedCopy, BackupError.notCopied(_, .damaged), CopyError.differs,
      CopyError.orphan, CopyError.failed(_, .damaged),
      PostgreSQLOpeningError.rejected(_, .unfinishedCopy),
      PostgreSQLOpeningError.rejected(_, .foreignSchema),
      PostgreSQLOpeningError.rejected(_, .schemaNewer):
      data
    case StoreError.locked, StoreOpeningError.inUse, StoreOpeningError.locked,
      PostgreSQLOpeningError.inUse, BackupError.isBeingWritten, BackupError.isOpenElsewhere,
      BackupError.notCopied(_, .locked), CopyError.failed(_, .locked):
      busy
    case StoreError.unreachable, StoreError.undetermined, CopyError.failed(_, .unreachable),
      CopyError.failed(_, .undetermined):
      unavailable
    case let error as PostgreSQLOpeningError where error.isUnavailable: unavailable
    default: 1
    }
  }
}

enum CommandFailure {
  /// Prints the reason on standard error, and returns the exit code.
  static func exit(with error: any Error) -> ExitCode {
    for line in "\(error)".split(separator: "\n") { report("enlist: \(LineText.escaped(line))") }
    return ExitCode(ExitCodes.code(of: error))
  }

  static func warn(_ warning: String) { report("enlist: warning: \(LineText.escaped(warning))") }

  private static func report(_ line: String) {
    // The log's output, so that the line follows those of the log.
    LogOutput.standardError.write(line: line, isEssential: true)
  }
}

extension Option where Value: Sendable {
  /// An option with the valid texts of a kind of setting.
  init<Wrapped: Sendable>(_ help: ArgumentHelp, _ kind: SettingKind<Wrapped>)
  where Value == Wrapped? {
    self.init(help: help, transform: kind.argument)
  }

  init(_ help: ArgumentHelp, _ kind: SettingKind<Value>) {
    self.init(help: help, transform: kind.argument)
  }
}

extension SettingKind {
  @Sendable fileprivate func argument(_ text: String) throws -> Value {
    guard let value = read(text) else { throw ValidationError(fault(of: text)) }
    return value
  }
}

/// Formats a number with a noun: "1 subscriber", "3 consents".
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
