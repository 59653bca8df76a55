internal import ArgumentParser
internal import ListStorage
internal import MailingList
internal import PostgreSQLStorage
internal import SQLiteStorage

extension CommandFailure {
  /// Prints the reason why a command that processes the whole database failed, in one line.
  static func exit(saying error: any Error) -> ExitCode {
    exit(saying: "\(error)", code: code(of: error))
  }

  private static func code(of error: any Error) -> Int32 {
    switch error {
    case let error as StoreOpeningError: code(of: error)
    case let error as BackupError: code(of: error)
    case let error as PostgreSQLOpeningError: code(of: error)
    case let error as CopyError: code(of: error)
    case is DatabaseServerError: DatabaseServerError.code
    default: 1
    }
  }

  private static func code(of error: PostgreSQLOpeningError) -> Int32 {
    switch error {
    case .rejected(_, .unfinishedCopy), .rejected(_, .foreignSchema), .rejected(_, .schemaNewer): 65
    case .inUse: 75
    case .unreachable, .denied, .rejected, .schemaOlder, .failed, .noSecret: serverCode(of: error)
    }
  }

  private static func code(of error: CopyError) -> Int32 {
    switch error {
    case .differs, .orphan, .failed(_, .damaged): 65
    case .failed(_, .unreachable), .failed(_, .undetermined): 69
    case .failed(_, .locked): 75
    case .notEmpty, .otherSource, .failed, .interrupted: 1
    }
  }

  private static func code(of error: BackupError) -> Int32 {
    switch error {
    case .database(let error): code(of: error)
    case .notCopied(_, .damaged): 65
    case .isBeingWritten, .isOpenElsewhere, .notCopied(_, .locked): 75
    case .notCopied, .file, .notAFile, .isDatabase, .hasLog, .interrupted: 1
    }
  }

  private static func code(of error: StoreOpeningError) -> Int32 {
    switch error {
    case .damaged, .foreign, .foreignLog, .changed, .schemaNewer, .unfinishedCopy: 65
    case .inUse, .locked: 75
    case .cannotOpen, .readOnly, .schemaOlder, .cannotLock, .replaced, .notDurable, .noSecret: 1
    }
  }
}
