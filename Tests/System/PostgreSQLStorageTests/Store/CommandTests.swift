import EmailAddresses
import MailingList
import Security
import Signals
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// What commands do next to a service, and how a list is opened.
@Suite(.needsPostgreSQL, .serialized)
struct CommandTests {
  @Test func `people are erased with all that belongs to them`() async throws {
    try await withStore(.init(optIn: .double)) { store, database in
      let test = StoreUnderTest.postgresql(store, database)
      let time = Timestamp(millisecondsSince1970: 1_800_000_000_000)
      _ = try #require(try await test.signUp("ada@example.org", at: time).mail)
      try await test.add(try .sample("eve@example.org"))
      let addresses = try ["ADA@example.org", "nobody@example.org"].map {
        try EmailAddress.sample($0)
      }
      let eraser = try ListCommands(CommandConnection(database.parameters), keyring: nil)
      let counts = ErasedCounts(subscribers: 1, consents: 1)
      #expect(try eraser.count(addresses) == counts)
      #expect(try eraser.erase(addresses, leaving: .imports) == counts)
      #expect(
        try eraser.erase(addresses, leaving: .imports)
          == ErasedCounts(subscribers: 0, consents: 0)
      )
      eraser.close()
      #expect(try await test.subscribers().map(\.address) == ["eve@example.org"])
      for table in ["tokens", "codes"] {
        #expect(try database.count(Query("SELECT count(*) FROM enlist.\(table)")) == 0)
      }
    }
  }

  @Test func `addresses are suppressed with the secret of the list`() async throws {
    try await withStore { store, database in
      try await StoreUnderTest.postgresql(store, database).add(try .sample("ada@example.org"))
      let addresses = try ["eve@example.org", "ada@example.org"].map {
        try EmailAddress.sample($0)
      }
      let suppressor = try ListCommands(CommandConnection(database.parameters), keyring: nil)
      #expect(try suppressor.suppress(addresses, .operator, at: .now) == [.unlisted, .suppressed])
      #expect(try suppressor.suppress(addresses, .operator, at: .now) == [.already, .already])
      suppressor.close()
      let test = StoreUnderTest.postgresql(store, database)
      try await test.add(try .sample("eve@example.org"))
      #expect(try await test.subscribers().map(\.state) == [.suppressed, .suppressed])
    }
  }

  @Test func `single opt-in subscribes no other spelling of a suppressed mailbox`() async throws {
    try await withStore { store, database in
      try await StoreUnderTest.postgresql(store, database).expectNoOtherSpelling()
    }
  }

  @Test func `held mails are counted, released and dropped`() async throws {
    try await withStore(.init(optIn: .double)) { store, database in
      let test = StoreUnderTest.postgresql(store, database)
      try await test.queue((0..<5).map { "p\($0)@one-example.com" })
      let budgets = MailBudgets(perDomain: MailBudget(count: 1, per: .seconds(86_400)))
      #expect(try await test.claim(budgets).held == 4)
      let held = HeldMails(try CommandConnection(database.parameters))
      var mails: [HeldMails.Mail] = []
      try held.forEach { mails.append($0) }
      #expect(
        mails.map(\.createdAt)
          == (1...4).map { SubscriberStoreConformance.start.adding(.milliseconds($0)) }
      )
      #expect(try held.perform(.drop, on: [mails[0]], at: SubscriberStoreConformance.start) == 1)
      let rest = Array(mails.dropFirst())
      #expect(try held.perform(.release, on: mails, at: SubscriberStoreConformance.start) == 3)
      #expect(try held.perform(.release, on: rest, at: SubscriberStoreConformance.start) == 0)
      held.close()
      // Released mails leave whatever the budgets.
      #expect(try await test.claim(budgets, at: 2).mails.count == 3)
    }
  }

  @Test func `an import adds people with their evidence, and changes nothing when repeated`()
    async throws
  {
    try await withStore { store, database in
      let importer = try ListCommands(CommandConnection(database.parameters), keyring: nil)
      let suppressor = try ListCommands(CommandConnection(database.parameters), keyring: nil)
      let test = StoreUnderTest.postgresql(store, database)
      try await test.expectImports(through: importer) { address in
        _ = try suppressor.suppress([address], .objected, at: .now)
      }
      suppressor.close()
      importer.close()
    }
  }

  @Test func `the operator looks up, changes and erases subscribers`() async throws {
    try await withStore { store, database in
      try await StoreUnderTest.postgresql(store, database).expectOperations()
    }
  }

  @Test func `no id is given twice, however people come and leave`() async throws {
    try await withStore(.init(optIn: .double)) { store, database in
      let commands = try ListCommands(CommandConnection(database.parameters), keyring: nil)
      let test = StoreUnderTest.postgresql(store, database)
      try await test.expectNewIDs(through: commands) {
        _ = try await Purge(store.access, eventAge: nil, on: ImmediateScheduler()).run(at: .now)
          .values()
      }
      commands.close()
    }
  }

  @Test func `each change of the list has its event, once it has got its position`() async throws {
    try await withStore(.init(optIn: .double)) { store, database in
      let session = try database.session()
      try await StoreUnderTest.postgresql(store, database).expectEvents {
        try session.execute(Query("SELECT enlist.number_pending('{}', 0)"), by: .soon)
      }
    }
  }

  @Test func `the record of a person has the mails`() async throws {
    try await withStore(.init(optIn: .double)) { store, database in
      let test = StoreUnderTest.postgresql(store, database)
      try await test.queue((0..<2).map { "p\($0)@one-example.com" })
      let budgets = MailBudgets(perDomain: MailBudget(count: 1, per: .seconds(86_400)))
      #expect(try await test.claim(budgets).held == 1)
      let reader = try PostgreSQLSubscriberReader(database.parameters)
      func record(_ address: String) async throws -> PersonRecord? {
        let address = try EmailAddress.sample(address)
        return try await reader.read { (list) throws(StoreError) in
          try list.person(address, MailKeys(store.keyring))
        }.last() ?? nil
      }
      let claimed = try #require(try await record("P0@one-example.com"))
      #expect(claimed.unsentMails.map(\.isHeld) == [false])
      #expect(claimed.mailTimes?.count == 1)
      let held = try #require(try await record("p1@one-example.com"))
      #expect(held.unsentMails.map(\.isHeld) == [true])
      #expect(held.mailTimes == [])
      #expect(try await record("p2@one-example.com") == nil)
    }
  }

  @Test func `the list is read with its consents`() async throws {
    try await withStore { store, database in
      let signUp = try SignUp.sample(
        consent: Consent(text: "Yes", clientAddress: "192.0.2.0", locale: "de"))
      try await StoreUnderTest.postgresql(store, database).add(signUp)
      let reader = try PostgreSQLSubscriberReader(database.parameters)
      let people = try await reader.subscribers(after: nil, limit: 10).values().flatMap(\.self)
      let id = try #require(people.first?.id)
      let consents = try await reader.consents(ofSubscribers: id...id, after: nil, limit: 10)
        .values().flatMap(\.self)
      #expect(consents.map(\.id) == [signUp.id])
      #expect(consents.first?.consent.text == "Yes")
      #expect(consents.first?.consent.locale == "de")
      #expect(consents.first?.kind == "requested")
    }
  }

  @Test func `consents are read a part at a time, in the order of their times`() async throws {
    try await withStore { store, database in
      let reader = try PostgreSQLSubscriberReader(database.parameters)
      try await StoreUnderTest.postgresql(store, database).expectConsents(from: reader)
    }
  }

  @Test func `replicas have the same secret, and one of the settings is not stored`() async throws {
    try await withStore { first, database in
      try await withStore(on: database) { second, _ in
        #expect(first.keyring.current.bytes == second.keyring.current.bytes)
      }
    }
    let keyring = Keyring(Secret())
    try await withStore(.init(keyring: keyring)) { store, database in
      #expect(store.keyring.current.bytes == keyring.current.bytes)
      #expect(throws: PostgreSQLOpeningError.noSecret(location: "\(database.parameters)")) {
        try ListCommands(CommandConnection(database.parameters), keyring: nil)
      }
    }
  }

  @Test func `a command does not migrate, and a foreign schema is rejected at once`() throws {
    let database = try TestDatabase(isMigrated: false)
    let location = "\(database.parameters)"
    #expect(
      throws: PostgreSQLOpeningError.schemaOlder(
        location: location, found: 0, known: SchemaMigrator().latest)
    ) { try PostgreSQLSubscriberReader(database.parameters) }
    try database.session().execute(
      script: "CREATE SCHEMA enlist; CREATE TABLE enlist.other()", by: .soon)
    let start = ContinuousClock.now
    #expect(throws: PostgreSQLOpeningError.rejected(location: location, .foreignSchema)) {
      try PostgreSQLSubscriberStore(database.parameters)
    }
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func `a server that is not there is waited for, then reported with its reason`() throws {
    let parameters = try ConnectionParameters(url: "postgres://u:secret@%2Fnonexistent/list")
    let error = #expect(throws: PostgreSQLOpeningError.self) {
      try PostgreSQLSubscriberStore(
        parameters, configuration: .init(startupTimeout: .milliseconds(300)))
    }
    #expect(error?.isUnavailable == true)
    let text = error?.description ?? ""
    #expect(text.contains("/nonexistent"))
    #expect(!text.contains("secret"))
  }

  @Test func `what is kept for a time is deleted`() async throws {
    let old = Timestamp.now.adding(.seconds(-40 * 86_400))
    let configuration = PostgreSQLSubscriberStore.Configuration(
      deliverOn: QueueScheduler.background, optIn: .double, purgeInterval: .milliseconds(50))
    try await withStore(configuration) { store, database in
      let test = StoreUnderTest.postgresql(store, database)
      try await test.add(try .sample("old@example.org", at: old.millisecondsSince1970))
      try await test.add(try .sample("new@example.org"))
      // A mail that waits keeps its subscriber.
      try database.run(Query("DELETE FROM enlist.outbox"))
      try await eventually { try await test.subscribers().count <= 1 }
      #expect(try await test.subscribers().map(\.address) == ["new@example.org"])
    }
  }

  @Test func `a transaction deletes 32 subscribers, and a pause of 250 milliseconds follows`()
    async throws
  {
    let delays = VirtualDelays()
    let configuration = PostgreSQLSubscriberStore.Configuration(
      deliverOn: delays, optIn: .double, purgeInterval: PurgePace.interval)
    try await withStore(configuration) { store, database in
      try await PurgePace.check(
        .postgresql(store, database), delays,
        emptyOutbox: { try database.run(Query("DELETE FROM enlist.outbox")) },
        count: { try database.count(Query("SELECT count(*) FROM enlist.subscribers")) })
    }
  }
}
