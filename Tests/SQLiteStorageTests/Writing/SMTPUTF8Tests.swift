import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// Tests of the column that says which addresses need SMTPUTF8 (RFC 6531).
@Suite struct SMTPUTF8Tests {
  /// Reads the column through a second connection, like a program that sends mail.
  private func flags(in folder: Folder) throws -> [SQLiteValue: SQLiteValue] {
    let rows = try SQLiteFile(folder.database)
      .rows("SELECT address, requires_smtputf8 FROM subscribers")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  @Test func `stores whether an address needs SMTPUTF8, which an international domain does not`()
    async throws
  {
    try await withStore { store, folder in
      for address in ["ada@example.org", "ren\u{E9}@example.org", "eve@b\u{FC}cher.de"] {
        _ = try await store.add(try .sample(address)).values()
      }
      #expect(
        try flags(in: folder) == [
          "ada@example.org": 0, "ren\u{E9}@example.org": 1, "eve@xn--bcher-kva.de": 0,
        ]
      )
    }
  }

  @Test func `a repeated sign-up keeps the value of the stored address`() async throws {
    try await withStore { store, folder in
      for address in ["REN\u{C9}@example.org", "ren\u{E9}@example.org", "ada@example.org"] {
        for _ in 0..<2 { _ = try await store.add(try .sample(address)).values() }
      }
      #expect(try flags(in: folder) == ["REN\u{C9}@example.org": 1, "ada@example.org": 0])
    }
  }
}
