import ArgumentParser
import HTTPSignals
import Testing

@testable import enlist

@Suite struct SettingTableTests {
  @Test func `the settings table has a row for each setting`() throws {
    let settings = try Settings(SettingLayers(flags: [:], configuration: nil, environment: [:]))
    let names = Mirror(reflecting: settings).children.compactMap(\.label)
    #expect(SettingTable.rows.count == names.count)
    #expect(Set(SettingTable.rows.map(\.name)).count == SettingTable.rows.count)
  }

  @Test func `serve has a flag for every setting`() throws {
    let serve = try Serve.parse([])
    let groups: [any SettingOptions] = [
      serve.listen, serve.publicURL, serve.list, serve.database, serve.email, serve.service,
      serve.streams, serve.operatorListener, serve.webhooks, serve.mail, serve.consents,
      serve.secret,
      serve.log,
    ]
    let flags = groups.flatMap(\.given.keys)
    #expect(Set(flags) == Set(SettingTable.rows.map(\.name)))
    for name in flags {
      #expect(throws: Never.self, "--\(name)") { try Serve.parse(["--\(name)", "x"]) }
    }
  }

  @Test(arguments: ["https://list.example.org", "https://LIST.example.org:443/"])
  func `the public URL may have an empty path`(_ text: String) throws {
    let settings = try Settings(
      SettingLayers(flags: ["public-url": text], configuration: nil, environment: [:])
    )
    #expect(settings.publicURL?.description == "https://list.example.org")
  }

  @Test func `origins that do not fit the Content-Security-Policy are rejected`() throws {
    func settings(_ count: Int) throws(SettingError) -> Settings {
      let origins = (0..<count).map { "https://site\($0).example.org" }.joined(separator: ",")
      return try Settings(
        SettingLayers(flags: ["allowed-origins": origins], configuration: nil, environment: [:])
      )
    }
    _ = try settings(60)
    let error = #expect(throws: SettingError.self) { try settings(280) }
    #expect(error?.description.hasPrefix("invalid value \"https://site0.") == true)
    #expect(error?.description.contains(" for --allowed-origins: ") == true)
    #expect(error?.description.contains("expected at most 2048: list fewer origins") == true)
  }

  @Test func `every setting accepts its default`() {
    for row in SettingTable.rows {
      #expect(row.acceptsDefaultText, "\(row.name)")
    }
  }
}
