import Testing

@testable import PostgreSQLStorage

@Suite struct ServerFactsTests {
  private static let accepted = ServerFacts(version: 140_000, statementTimeout: 4000)

  private static func facts(_ change: (inout ServerFacts) -> Void) -> ServerFacts {
    var facts = accepted
    change(&facts)
    return facts
  }

  @Test(
    arguments: [
      (accepted, nil),
      (facts { $0.synchronousCommit = "remote_apply" }, nil),
      (facts { $0.synchronousCommit = "local" }, nil),
      (facts { $0.writesFullPages = false }, nil),
      (facts { $0.version = 130_022 }, .tooOld(version: 130_022)),
      (facts { $0.encoding = "LATIN1" }, .encoding("LATIN1")),
      (facts { $0.isReadOnly = true }, .readOnly),
      (facts { $0.syncsFiles = false }, .notDurable(setting: "fsync off")),
      (facts { $0.synchronousCommit = "off" }, .notDurable(setting: "synchronous_commit off")),
      (facts { $0.statementTimeout = 0 }, .pooler),
      (facts { $0.isolation = "serializable" }, .pooler),
    ] as [(ServerFacts, ServerRejection?)]
  )
  func `accepts a server or says why not`(facts: ServerFacts, expected: ServerRejection?) {
    #expect(facts.rejection(statementTimeout: 4000) == expected)
  }

  @Test func `a reader accepts a server that only reads`() {
    let facts = Self.facts {
      $0.isReadOnly = true
      $0.syncsFiles = false
    }
    #expect(facts.rejection(statementTimeout: 4000, mayRead: true) == nil)
  }

  @Test func `warns of what may lose sign-ups`() {
    #expect(Self.accepted.warnings(hasWeakTLS: false) == [.noSynchronousStandby])
    let facts = Self.facts {
      $0.synchronousStandbyNames = "*"
      $0.writesFullPages = false
    }
    #expect(facts.warnings(hasWeakTLS: true) == [.partialPages, .weakTLS])
  }

  @Test(
    arguments: [
      (.none, nil),
      (.foreign, .foreignSchema),
      (.unfinishedCopy(2), .unfinishedCopy),
      (.version(1, worksFrom: 1), nil),
      (.version(3, worksFrom: 2), nil),
      (.version(4, worksFrom: 3), .schemaNewer(found: 4, worksFrom: 3, known: 2)),
    ] as [(SchemaVersion, ServerRejection?)]
  )
  func `accepts a newer schema that works with this program`(
    found: SchemaVersion, expected: ServerRejection?
  ) {
    #expect(found.rejection(known: 2) == expected)
  }
}
