import EmailAddresses
import Foundation
import Glibc
import MailingList
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct EraserTests {
  /// Returns whether any file of the folder contains a text.
  private func contains(_ text: String, _ folder: Folder) throws -> Bool {
    let needle = Data(text.utf8)
    return try folder.files.contains { name in
      try Data(contentsOf: URL(filePath: folder(name))).range(of: needle) != nil
    }
  }

  @Test(arguments: [true, false])
  func `erases a subscriber and all consents regardless of the spelling`(
    _ isStoreOpen: Bool
  )
    async throws
  {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      for address in ["Ada.Zaphod@example.org", "ada.zaphod@EXAMPLE.org", "bob@example.org"] {
        try await _ = store.add(try .sample(address)).values()
      }
      let before = try store.count("subscribers")
      if !isStoreOpen { await store.close().ended() }
      let address = try EmailAddress(validating: "ada.zaphod@example.org")
      let eraser = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      let counts = try eraser.count([address])
      #expect(counts == ErasedCounts(subscribers: before - 1, consents: 2))
      #expect(try contains("zaphod", folder))
      #expect(try eraser.erase([address], leaving: .imports) == counts)
      #expect(
        try eraser.erase([address], leaving: .imports)
          == ErasedCounts(subscribers: 0, consents: 0)
      )
      eraser.close()
      #expect(try !contains("zaphod", folder))
      #expect(try !contains("Zaphod", folder))
      #expect(try contains("bob@example.org", folder))
      if isStoreOpen { await store.close().ended() }
      #expect(try !contains("aphod", folder))

      let again = try SQLiteSubscriberStore(path: folder.database)
      #expect(try again.count("consents") == 1)
      // The trigger has been restored.
      try again.withConnection { try $0.execute("DELETE FROM subscribers") }
      #expect(try again.count("consents") == 0)
      await again.close().ended()
    }
  }

  /// The help of `enlist erase` says what stays.
  @Test func `only keyed hashes and the text of mails stay`() async throws {
    try await withStore(.init(optIn: .double)) { store, folder in
      let erased = ["subscribers", "consents", "outbox", "codes", "tokens"]
      let kept = ["mailboxes", "suppressions", "wordings"]
      let addresses = [
        try EmailAddress.sample("ada@example.org"), try .sample("eve@example.org"),
      ]
      try await _ = store.add(try .sample("ada@example.org", at: 1_800_000_000_000)).values()
      _ = try await OutboxUnderTest.sqlite(store).claim(at: 1)
      let suppressor = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      let time = Timestamp(millisecondsSince1970: 1_800_000_002_000)
      #expect(try suppressor.suppress([addresses[1]], .objected, at: time) == [.unlisted])
      suppressor.close()
      #expect(try erased.map { try store.count($0) } == [1, 1, 1, 1, 2])

      let eraser = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      _ = try eraser.erase(addresses, leaving: .imports)
      eraser.close()
      #expect(try erased.map { try store.count($0) } == [0, 0, 0, 0, 0])
      // Of the person without a suppression, too.
      #expect(try kept.map { try store.count($0) } == [1, 2, 1])
    }
  }

  @Test func `spellings of one mailbox are suppressed and erased together`() async throws {
    try await withStore(.init(optIn: .double)) { store, folder in
      let names = ["ada+1@example.org", "ada@example.org", "ada+2@example.org", "bob@example.org"]
      let addresses = try names.map { try EmailAddress.sample($0) }
      for name in names { try await _ = store.add(try .sample(name)).values() }
      let commands = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      func suppress(_ indices: [Int], _ reason: Suppression) throws -> [SuppressionResult] {
        try commands.suppress(indices.map { addresses[$0] }, reason, at: .now)
      }
      #expect(try suppress([1], .hardBounce) == [.suppressed])
      #expect(try suppress([0, 2], .complaint) == [.suppressed, .suppressed])
      let counts = ErasedCounts(subscribers: 4, consents: 4, suppressions: 3)
      #expect(try commands.erase(addresses, leaving: .imports) == counts)
      #expect(try suppress([0, 1, 2, 3], .objected) == [.unlisted, .already, .already, .unlisted])
      commands.close()
      #expect(try store.count("suppressions") == 2)
    }
  }

  @Test func `leaves no byte of a thousand erased addresses in split pages`() async throws {
    try await withStore(.init(maximumBatch: 64)) { store, folder in
      var generator = RandomNumbers()
      func letters(_ count: Int) -> String {
        String(
          (0..<count).map { _ in
            "abcdefghijklmnopqrstuvwxyz".randomElement(using: &generator) ?? "a"
          }
        )
      }
      let domain = [letters(60), letters(60), letters(50)].joined(separator: ".")
      // The test searches for this marker, which no other address contains.
      let erased = (0..<1000).map { number in
        let tail = number.isMultiple(of: 3) ? domain : letters(8)
        return "\(letters([6, 20, 40].randomElement(using: &generator) ?? 6))zq9xj@\(tail).org"
      }
      let kept = (0..<3000).map { _ in "\(letters(12))@\(letters(8)).org" }
      let all = (erased + kept).shuffled(using: &generator)
      let signUps = try all.map { text in
        SignUp(
          id: try SignUp.sample().id, address: try EmailAddress(validating: text), time: .now,
          consent: Consent(text: "I am \(text)", userAgent: "agent"))
      }
      let outcomes = await store.outcomes(ofBatch: signUps)
      #expect(outcomes.allSatisfy { (try? $0.get()) != nil })
      // Sign up again, so that rows are written to pages that have been split.
      for address in erased.prefix(100) {
        try await _ = store.add(try .sample(address)).values()
      }
      #expect(try contains("zq9xj", folder))

      let eraser = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      let counts = try eraser.erase(
        try erased.map { try EmailAddress(validating: $0) }, leaving: .imports)
      eraser.close()
      #expect(counts == ErasedCounts(subscribers: 1000, consents: 1100))
      #expect(try !contains("zq9xj", folder))
      #expect(try !contains("q9xj@", folder))
      #expect(try !contains("9xj@", folder))
      #expect(try store.count("subscribers") == 3000)
      #expect(try store.count("consents") == 3000)
      try await _ = store.add(try .sample("later@example.org")).values()
      #expect(try store.withConnection { try $0.text("PRAGMA integrity_check") } == "ok")
    }
  }

  @Test func `erases subscribers while the service stores sign-ups`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("zaphod@example.org")).values()
      let stored = try await withThrowingTaskGroup(of: Int.self) { group in
        for task in 0..<4 {
          group.addTask {
            for number in 0..<300 {
              try await _ = store.add(try .sample("a\(task)-\(number)@example.org")).values()
            }
            return 300
          }
        }
        let eraser = try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
        let counts = try eraser.erase(
          [EmailAddress(validating: "zaphod@example.org")], leaving: .imports)
        eraser.close()
        #expect(counts == ErasedCounts(subscribers: 1, consents: 1))
        return try await group.reduce(0, +)
      }
      #expect(stored == 1200)
      #expect(try store.count("subscribers") == 1200)
      #expect(try !contains("zaphod", folder))
    }
  }

  @Test func `erases nothing while another process holds the lock`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      let other = try OtherProcess(holding: folder.database)
      let eraser = try ListCommands(
        CommandDatabase(path: folder.database, busyTimeout: .milliseconds(100)), keyring: nil)
      #expect(throws: ErasureError.notErased(.locked)) {
        try eraser.erase([EmailAddress(validating: "ada@example.org")], leaving: .imports)
      }
      eraser.close()
      try other.release()
      #expect(try store.count("subscribers") == 1)
    }
  }

  @Test func `reports that bytes may remain while another process reads the log`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      let reader = try SQLiteFile(folder.database)
      try reader.execute("BEGIN; SELECT count(*) FROM subscribers")
      let eraser = try ListCommands(
        CommandDatabase(path: folder.database, busyTimeout: .milliseconds(100)), keyring: nil)
      let addresses = [try EmailAddress(validating: "ada@example.org")]
      #expect(throws: ErasureError.bytesRemain(.locked)) {
        try eraser.erase(addresses, leaving: .imports)
      }
      #expect(try store.count("subscribers") == 0)
      try reader.execute("COMMIT")
      #expect(
        try eraser.erase(addresses, leaving: .imports)
          == ErasedCounts(subscribers: 0, consents: 0)
      )
      eraser.close()
      #expect(try !contains("ada@example.org", folder))
    }
  }

  @Test(.enabled(if: Child.finds("python3"), "python3 is not installed"))
  func `waits for the checkpoint of another process as long as for any other lock`() async throws {
    try await withStore { store, folder in
      try await _ = store.add(try .sample("ada@example.org")).values()
      // The byte that SQLite locks during a checkpoint (WALINDEX_LOCK_OFFSET + WAL_CKPT_LOCK).
      let script = """
        import fcntl, signal
        file = open("\(folder.database)-shm", "r+b")
        fcntl.lockf(file, fcntl.LOCK_EX, 1, 121)
        print("locked", flush=True)
        signal.pause()
        """
      let other = try Child(["python3", "-c", script])
      #expect(try other.nextLine() == "locked")
      let addresses = [try EmailAddress(validating: "ada@example.org")]
      let impatient = try ListCommands(
        CommandDatabase(path: folder.database, busyTimeout: .zero), keyring: nil)
      #expect(throws: ErasureError.bytesRemain(.locked)) {
        try impatient.erase(addresses, leaving: .imports)
      }
      impatient.close()

      func version() throws -> Int64 {
        try store.withConnection { try $0.number("PRAGMA schema_version") ?? 0 }
      }
      let before = try version()
      let path = folder.database
      let erasure = Task(executorPreference: ThreadPerJob()) {
        let eraser = try ListCommands(
          CommandDatabase(path: path, busyTimeout: .seconds(60)), keyring: nil)
        defer { eraser.close() }
        return try eraser.erase(addresses, leaving: .imports)
      }
      // The file was rewritten; the log is emptied next.
      try eventually(within: .seconds(60)) { try version() > before }
      try other.wait(after: SIGKILL)
      #expect(try await erasure.value == ErasedCounts(subscribers: 0, consents: 0))
      #expect(try !contains("ada@example.org", folder))
    }
  }

  @Test func `the eraser does not create a missing database`() async throws {
    try await withFolder { folder in
      #expect(throws: StoreOpeningError.self) {
        try ListCommands(CommandDatabase(path: folder.database), keyring: nil)
      }
      let files = try folder.files
      #expect(files.isEmpty)
    }
  }
}
