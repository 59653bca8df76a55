import TestSupport
import Testing

/// Tests of a service that is killed, and from which lock, disk, log and clock are taken, at random
/// moments while people sign up.
///
/// This takes about 20 seconds, or as many as `ENLIST_CHAOS_SECONDS` says in the environment: 3600 for
/// an hour. The order is that of a printed seed, which `ENLIST_CHAOS_SEED` repeats. All tests look at
/// the same run.
@Suite(.serialized) struct ChaosTests {
  private static let run = Result { try ChaosRun.result() }

  @Test func `every sign-up with 202 is stored once, and nothing else is`() throws {
    let run = try Self.run.get()
    let stored = Set(run.stored)
    #expect(stored.count == run.stored.count)
    let lost = run.accepted.subtracting(stored).prefix(5)
    #expect(lost.isEmpty, "seed \(run.seed)")
    // A kill may cost a response, but only that of a request that was sent.
    let unwanted = stored.subtracting(run.accepted).subtracting(run.unanswered).prefix(5)
    #expect(unwanted.isEmpty, "seed \(run.seed)")
    #expect(run.unanswered.count <= run.killCount * ChaosLoad.clientCount)
    #expect(run.consentCount == run.stored.count)
    #expect(run.integrity == ["ok"])
    print(
      "ChaosTests: \(run.accepted.count) accepted, \(run.stored.count) stored, "
        + "\(run.unanswered.count) without a response, \(run.killCount) kills"
    )
  }

  @Test
  func `the service recovers from each fault, and its metrics say at least what clients know`()
    throws
  {
    let run = try Self.run.get()
    #expect(run.surprises.prefix(5) == [], "seed \(run.seed)")
    for fault in ChaosRun.Fault.allCases { #expect(run.faultCounts[fault, default: 0] > 0) }
  }

  @Test(.enabled(if: FakeClock.isAvailable, "clang cannot make a library with another clock"))
  func `the clock of the service has jumped`() throws {
    let range = try Self.run.get().clockRange
    #expect(range > .seconds(86_400 - 3600))
  }

  @Test(
    .enabled(if: Child.finds("promtool"), "promtool is not installed: Scripts/bootstrap all"))
  func `the alerts that should fire do, and no other kind`() throws {
    let run = try Self.run.get()
    let folder = try Folder()
    try folder.write(try OperatingFiles.read("enlist.rules.yml"), to: "enlist.rules.yml")
    let test = run.scrapes.ruleTest(
      firing: [
        "EnlistDown", "EnlistLogDropped", "EnlistNotStoring", "EnlistRestarting", "EnlistStoreSlow",
      ],
      silent: [
        "EnlistCertificateExpired", "EnlistDescriptorsLow", "EnlistInternalErrors",
        "EnlistKeyInBrowser", "EnlistLogLarge", "EnlistMailStuck", "EnlistQueueLong",
        "EnlistUnderAttack",
      ]
    )
    try folder.write(test, to: "chaos.test.yml")
    let outcome = try Child.run(
      ["promtool", "test", "rules", "chaos.test.yml"], in: folder, within: .seconds(600))
    #expect(outcome.end == .exit(0), "seed \(run.seed): \(outcome.output)\(outcome.errors)")
  }
}
