import ArgumentParser
import Testing

@testable import Enlist

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

  @Test func `every default is what its setting accepts`() {
    // "http://LISTEN" is no address, but says what it means.
    for row in SettingTable.rows {
      #expect(row.acceptsFallbackText, "\(row.name)")
    }
  }
}
