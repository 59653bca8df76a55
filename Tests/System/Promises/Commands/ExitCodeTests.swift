import TestSupport
import Testing

/// Results that cannot be written, input that cannot be read, and a list that is locked: the same
/// exit code of every command.
@Suite struct ExitCodeTests {
  private let service: Enlist

  init() throws {
    service = try Enlist(["--drain", "0s"])
    try service.signUp("ana@example.com").expect(202)
  }

  private static let results = [
    "export", "show ana@example.com", "count", "events", "check ana@example.com", "verify",
    "backup copy.sqlite", "suppress bob@example.com", "erase bob@example.com", "keys list",
    "webhooks create --url https://example.org",
  ]

  private func run(_ words: String, _ redirection: String) throws -> Child.Outcome {
    let script = #"exec \#(redirection); exec "$@""#
    let arguments = words.split(separator: " ").map(String.init)
    return try Child.run(["bash", "-c", script, "bash", "enlist"] + arguments, in: service.folder)
  }

  @Test(arguments: results)
  func `a result that cannot be written is one line and exit code 74`(_ words: String) throws {
    let full = try run(words, "> /dev/full").expect(74)
    #expect(full.errors == "enlist: cannot write the output: No space left on device\n")
  }

  @Test(arguments: results)
  func `a reader that closes the pipe early is no failure`(_ words: String) throws {
    let closed = try run(words, "> >(true); wait $!").expect(0)
    #expect(closed.errors == "")
  }

  @Test(arguments: [
    ("> /dev/full", "cannot write the output: No space left on device"),
    ("> >(true); wait $!", "the reader of the output has closed it"),
  ])
  func `a key that cannot be printed is named, so that it can be revoked`(
    _ redirection: String, _ reason: String
  ) throws {
    let created = try run("keys create --name x --scopes read", redirection).expect(74)
    let (start, end) = ("enlist: \(reason); revoke the key ", ", which no one has seen\n")
    #expect(created.errors.hasPrefix(start) && created.errors.hasSuffix(end), "\(created.errors)")
    let id = String(created.errors.dropFirst(start.utf8.count).dropLast(end.utf8.count))
    try service.run("keys", "revoke", id).expect(0)
  }

  @Test(arguments: ["import -", "check -", "suppress -", "erase -", "show -"])
  func `input that cannot be read is one line and exit code 74`(_ words: String) throws {
    let unread = try run(words, "< .").expect(74)
    #expect(unread.errors == "enlist: cannot read the input: Is a directory\n")
    #expect(unread.output == "")
  }

  @Test func `a change of a locked list is one line and exit code 75`() throws {
    let lock = try StolenLock(of: service)
    let reason = "another process holds the lock; end that process or wait for it\n"
    for words in [
      "suppress ana@example.com", "erase ana@example.com", "held release",
      "keys create --name x --scopes read", "webhooks create --url https://example.org",
    ] {
      let locked = try run("\(words) --database-timeout 100ms", ">&1").expect(75)
      #expect(locked.errors.hasSuffix(reason), "\(words): \(locked.errors)")
      #expect(locked.errors.utf8.count { $0 == 10 } == 1, "\(words): \(locked.errors)")
      #expect(locked.output == "", "\(words)")
    }
    try lock.giveBack()
    let people = try service.people()
    #expect(people == ["ana@example.com": "subscribed"])
  }

  @Test func `the help of keys create lists all scopes`() throws {
    let help = try service.run("keys", "create", "--help").expect(0).output
    for scope in ["metrics", "board", "read", "write", "add", "events", "webhooks", "feedback"] {
      #expect(help.contains(scope), "\(help)")
    }
  }
}
