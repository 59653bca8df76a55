import EmailAddresses
import Foundation
import Glibc
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// A change that another program makes to the files of an open database.
enum FileChange: CaseIterable, CustomTestStringConvertible {
  case removeAll
  case removeLog
  case replaceDatabase
  case renameAll
  case replaceAll

  var testDescription: String { "\(self)" }

  /// Makes the change like `rm`, `mv` and `cp`.
  func make(in folder: Folder) throws {
    let files = FileManager.default
    func path(_ suffix: String) -> String { folder.database + suffix }
    func rename(_ from: String, _ to: String) throws {
      try #require(Glibc.rename(from, to) == 0)
    }
    switch self {
    case .removeAll:
      for suffix in ["", "-wal", "-shm"] { try files.removeItem(atPath: path(suffix)) }
    case .removeLog:
      try files.removeItem(atPath: path("-wal"))
    case .replaceDatabase:
      try rename(path(".backup"), path(""))
    case .renameAll:
      for suffix in ["", "-wal", "-shm"] { try rename(path(suffix), path(".old\(suffix)")) }
    case .replaceAll:
      for suffix in ["-wal", "-shm"] { try files.removeItem(atPath: path(suffix)) }
      try rename(path(".backup"), path(""))
      try Data().write(to: URL(filePath: path("-wal")))
    }
  }
}

@Suite struct ReplacedFilesTests {
  private func makeBackup(in folder: Folder) async throws {
    let store = try SQLiteSubscriberStore(path: folder.database)
    try await _ = store.add(try .sample("backup@example.org")).values()
    await store.close().ended()
    try FileManager.default.copyItem(atPath: folder.database, toPath: folder.database + ".backup")
  }

  private func addresses(at path: String) throws -> [String] {
    let file = try SQLiteFile(path)
    #expect(try file.texts("PRAGMA integrity_check") == ["ok"])
    return try file.texts("SELECT address FROM subscribers ORDER BY id")
  }

  @Test(arguments: FileChange.allCases)
  func `acknowledges no sign-up once the path names other files`(_ change: FileChange) async throws
  {
    try await withFolder { folder in
      try await makeBackup(in: folder)
      let store = try SQLiteSubscriberStore(path: folder.database)
      try await _ = store.add(try .sample("before@example.org")).values()
      try eventually { store.access.queue.isIdle }
      try change.make(in: folder)
      for number in 0..<3 {
        let signUp = try SignUp.sample("after\(number)@example.org")
        await #expect(throws: StoreError.replaced) { try await store.add(signUp).values() }
        await #expect(throws: StoreError.replaced) { try await store.probe().values() }
      }
      await store.close().ended()
    }
  }

  @Test(arguments: FileChange.allCases)
  func `a probe detects that the path names other files`(_ change: FileChange) async throws {
    let scheduler = CountingScheduler()
    try await withFolder { folder in
      try await makeBackup(in: folder)
      let store = try SQLiteSubscriberStore(
        path: folder.database, configuration: .init(deliverOn: scheduler))
      try change.make(in: folder)
      scheduler.now = .seconds(2)
      #expect(await store.probe().collected() == .failure(.replaced))
      await store.close().ended()
    }
  }

  @Test func `does not write a sign-up to a database that was renamed a second ago`() async throws {
    let scheduler = CountingScheduler()
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(
        path: folder.database, configuration: .init(deliverOn: scheduler))
      try await _ = store.add(try .sample("before@example.org")).values()
      try eventually { store.access.queue.isIdle }
      try FileChange.renameAll.make(in: folder)
      scheduler.now = .seconds(1)
      #expect(await store.add(try .sample("after@example.org")).collected() == .failure(.replaced))
      await store.close().ended()
      #expect(try addresses(at: folder.database + ".old") == ["before@example.org"])
    }
  }

  @Test func `keeps acknowledged sign-ups when only the log was removed`() async throws {
    // The probe is within a second of the last commit, however slow this machine is.
    let scheduler = CountingScheduler()
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(
        path: folder.database, configuration: .init(deliverOn: scheduler))
      let signUps = try (0..<50).map { try SignUp.sample("person\($0)@example.org") }
      for signUp in signUps { try await _ = store.add(signUp).values() }
      try eventually { store.access.queue.isIdle }
      try FileChange.removeLog.make(in: folder)
      #expect(await store.probe().collected() == .success([]))
      let late = await store.add(try .sample("late@example.org")).collected()
      #expect(late == .failure(.replaced))
      await store.close().ended()
      let stored = try addresses(at: folder.database)
      #expect(stored.starts(with: signUps.map(\.address.normalized)))
    }
  }

  @Test(arguments: [true, false])
  func `closing the store does not change a replaced database`(_ isNoticed: Bool) async throws {
    for _ in 0..<3 {
      try await withFolder { folder in
        try await makeBackup(in: folder)
        let store = try SQLiteSubscriberStore(path: folder.database)
        for number in 0..<100 {
          try await _ = store.add(try .sample("a\(number)@example.org")).values()
        }
        try FileManager.default.linkItem(
          atPath: folder.database, toPath: folder.database + ".renamed")
        try FileChange.replaceDatabase.make(in: folder)
        if isNoticed { _ = await store.add(try .sample("late@example.org")).collected() }
        await store.close().ended()
        #expect(try addresses(at: folder.database) == ["backup@example.org"])
        let again = try SQLiteSubscriberStore(path: folder.database)
        try await _ = again.add(try .sample("again@example.org")).values()
        await again.close().ended()
        #expect(try addresses(at: folder.database) == ["backup@example.org", "again@example.org"])
        // Sign-ups acknowledged before the replacement are in the original file.
        #expect(try addresses(at: folder.database + ".renamed").count >= 101)
      }
    }
  }
}
