import ArgumentParser
import Testing

@testable import enlist

@Suite struct SettingTableTests {
  @Test func `has a row for each setting`() throws {
    let settings = try Settings(SettingLayers(flags: [:], configuration: nil, environment: [:]))
    #expect(SettingTable.rows.count == Mirror(reflecting: settings).children.count)
    #expect(Set(SettingTable.rows.map(\.name)).count == SettingTable.rows.count)
  }

  @Test func `every setting is a flag of serve`() throws {
    let serve = try Serve.parse([])
    let groups: [any SettingOptions] = [
      serve.listen, serve.database, serve.email, serve.service, serve.streams, serve.log,
    ]
    let flags = groups.flatMap(\.given.keys)
    #expect(Set(flags) == Set(SettingTable.rows.map(\.name)))
    for name in flags {
      #expect(throws: Never.self, "--\(name)") { try Serve.parse(["--\(name)", "x"]) }
    }
  }

  @Test func `rejects more allowed origins than the policy of the pages has room for`() throws {
    func settings(_ count: Int) throws(SettingError) -> Settings {
      let origins = (0..<count).map { "https://site\($0).example.org" }.joined(separator: ",")
      return try Settings(
        SettingLayers(flags: ["allowed-origins": origins], configuration: nil, environment: [:])
      )
    }
    _ = try settings(60)
    let error = #expect(throws: SettingError.self) { try settings(280) }
    #expect(error?.description.hasPrefix("--allowed-origins is \"https://site0.") == true)
    #expect(error?.description.contains("expected at most 2048: name fewer origins") == true)
  }

  @Test func `every default is what its setting accepts`() {
    // "http://LISTEN" is no address, but says what it means.
    for row in SettingTable.rows {
      #expect(row.acceptsDefaultText, "\(row.name)")
    }
  }
}
