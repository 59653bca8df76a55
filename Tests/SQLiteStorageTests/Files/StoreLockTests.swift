import EmailAddresses
import Foundation
import Glibc
import MailingList
import TestSupport
import Testing

@testable import SQLiteStorage

/// The lock that a store has on its database.
@Suite struct StoreLockTests {
  @Test(arguments: ["list.sqlite", "link.sqlite", "folder/../list.sqlite"])
  func `rejects a second store on the same database by any path`(_ name: String) async throws {
    try await withStore { store, folder in
      let files = FileManager.default
      try files.createSymbolicLink(
        atPath: folder("link.sqlite"), withDestinationPath: "list.sqlite")
      try files.createDirectory(
        at: URL(filePath: folder("folder")), withIntermediateDirectories: false)
      let path = folder(name)
      let error = #expect(throws: StoreOpeningError.self) { try SQLiteSubscriberStore(path: path) }
      guard case .inUse = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.description.contains("in use by another service") == true)
      try await _ = store.add(try .sample()).values()
    }
  }

  @Test func `a database can be opened again as soon as its store has closed`() async throws {
    try await withFolder { folder in
      for _ in 0..<20 {
        let store = try SQLiteSubscriberStore(path: folder.database)
        await store.close().ended()
      }
      #expect(try folder.files == ["list.sqlite", "list.sqlite-lock"])
    }
  }

  @Test func `a closed store has no lock although its descriptor was copied`() async throws {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      let lock = URL(filePath: folder("list.sqlite-lock")).resolvingSymlinksInPath().path
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let descriptor = try #require(
        descriptors.compactMap { Int32($0) }.first { number in
          let link = "/proc/self/fd/\(number)"
          return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == lock
        }
      )
      let copy = dup(descriptor)
      defer { close(copy) }
      await store.close().ended()
      await (try SQLiteSubscriberStore(path: folder.database)).close().ended()
    }
  }

  @Test func `the lock of a store does not block readers and erasers`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      let reader = try SQLiteSubscriberReader(path: folder.database)
      #expect(
        try await reader.subscribers(after: nil, limit: 10).values().flatMap(\.self).count == 1)
      let eraser = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      #expect(try eraser.count([EmailAddress(validating: "ada@example.org")]).subscribers == 1)
      eraser.close()
    }
  }

  @Test func `warns about publicly readable files and hard links`() async throws {
    try await withFolder { folder in
      let first = try SQLiteSubscriberStore(path: folder.database)
      await first.close().ended()
      #expect(chmod(folder.database, 0o644) == 0)
      try FileManager.default.linkItem(atPath: folder.database, toPath: folder.database + ".link")
      let warnings = Warnings()
      let second = try SQLiteSubscriberStore(
        path: folder.database, configuration: .init(warn: warnings.add))
      await second.close().ended()
      let path = folder.database
      let readable = [path, path + "-wal", path + "-shm"].map { $0.replacing("//", with: "/") }
      #expect(warnings.all.contains(.hardLinks(path: path, count: 2)))
      #expect(warnings.all.contains(.publiclyReadable(files: readable)))
      #expect(warnings.all.count == 2)
    }
  }
}
