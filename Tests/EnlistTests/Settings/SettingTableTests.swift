import Logging
import MailingList
import Platform
import Services
import Testing

@testable import enlist

@Suite struct SettingTableTests {
  @Test func `no two settings have the same name`() {
    #expect(Set(SettingTable.rows.map(\.name)).count == SettingTable.rows.count)
  }

  @Test func `the text of every default is valid, and stands for the default`() throws {
    for row in SettingTable.rows {
      let value = try #require(row.value(of: row.standard), "\(row.name) = \(row.standard)")
      let initial = try #require(Mirror(reflecting: row).descendant("initial"))
      #expect("\(value)" == "\(initial)", "\(row.name)")
    }
  }

  @Test func `the defaults match the documentation`() throws {
    let settings = try Settings.read()
    #expect(settings.listen?.description == "127.0.0.1:8080")
    #expect(settings.database == .sqlite(path: "enlist.sqlite"))
    #expect(settings.databaseTimeout == .seconds(5))
    #expect(settings.statusStream)
    #expect(settings.commandScope == .address)
    #expect(settings.threads >= 1)
    #expect(settings.maxConnections == 20_000)
    #expect(settings.maxStreams == 10_000)
    #expect(settings.requestTimeout == .seconds(30))
    #expect(settings.drain == .seconds(5))
    #expect(settings.maxBody == 16_384)
    #expect(settings.maxStreamsPerClient == 20)
    #expect(settings.heartbeat == .seconds(15))
    #expect(settings.streamLifetime == .seconds(480) ... .seconds(600))
    #expect(settings.streamStall == .seconds(10))
    #expect(settings.streamHistory == 8192)
    #expect(settings.executionHistory == .seconds(600))
    #expect(settings.logLevel == .info)
    #expect(settings.logFormat == .text)
    #expect(settings.optIn == nil)
    #expect(settings.smtpConnections == 2)
    #expect(settings.smtpTimeout == .seconds(60))
    #expect(settings.mailRetry == .seconds(60))
    #expect(settings.confirmCode)
    #expect(settings.confirmedEvent)
    #expect(settings.consentAddress == .truncated)
    #expect(settings.secret == nil)
  }

  @Test func `a setting whose default is a value can be unset`() throws {
    let settings = try Settings.read(["mail-budget": "off", "event-retention": "forever"])
    #expect(settings.mailBudget == nil)
    #expect(settings.mailBudgetPerDomain != nil)
    #expect(settings.eventRetention == nil)
  }

  @Test func `origins that do not fit the Content-Security-Policy are rejected`() throws {
    func conflicts(_ count: Int) throws -> [SettingError] {
      let origins = (0..<count).map { "https://site\($0).example.org" }.joined(separator: ",")
      return try Settings.read(["allowed-origins": origins]).conflicts
    }
    #expect(try conflicts(60).isEmpty)
    let error = try conflicts(280).first
    #expect(error?.description.hasPrefix("invalid value \"https://site0.") == true)
    #expect(error?.description.contains(" for --allowed-origins: ") == true)
    #expect(error?.description.contains("expected at most 2048: list fewer origins") == true)
  }
}
