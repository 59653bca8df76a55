import MailingList
import PostgreSQLStorage
import SQLiteStorage
import Testing

@testable import enlist

/// The exit codes of docs/commands.md.
@Suite struct ExitCodesTests {
  @Test(
    arguments: [
      (SettingError(setting: "--x", reason: "no"), 64),
      (StoreError.damaged, 65), (ExportError(cause: .damaged), 65),
      (CopyError.failed(location: "a", .damaged), 65),
      (StoreOpeningError.damaged(path: "a", reason: "b"), 65),
      (StoreOpeningError.schemaChanged(path: "a", reason: "b"), 65),
      (BackupError.database(StoreOpeningError.damaged(path: "a", reason: "b")), 65),
      (ErasureError.notErased(.damaged), 65), (KeyAdministrationError.store(.damaged), 65),
      (StoreError.unreachable, 69), (ExportError(cause: .unreachable), 69),
      (StoreError.undetermined, 69),
      (PostgreSQLOpeningError.unreachable(location: "a", reason: ""), 69),
      (PostgreSQLOpeningError.rejected(location: "a", .readOnly), 1),
      (InputError(errorNumber: 21), 74), (OutputError.failed(errno: 28), 74),
      (StoreError.locked, 75), (ExportError(cause: .locked), 75),
      (StoreOpeningError.locked(path: "a"), 75), (StoreError.full, 1), (Failure("x", code: 3), 3),
    ] as [(any Error, Int32)]
  )
  func `an error has the same exit code whatever it is in`(error: any Error, code: Int32) {
    #expect(ExitCodes.code(of: error) == code)
  }
}
