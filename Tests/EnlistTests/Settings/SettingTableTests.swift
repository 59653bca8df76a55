import ArgumentParser
import HTTPSignals
import Testing

@testable import enlist

@Suite struct SettingTableTests {
  @Test func `no two settings have the same name`() {
    #expect(Set(SettingTable.rows.map(\.name)).count == SettingTable.rows.count)
  }

  @Test func `each flag of serve sets the setting with its name`() throws {
    for row in SettingTable.rows {
      let serve = try #require(try EnlistCommand.parseAsRoot(["--\(row.name)", "x"]) as? Serve)
      var flags: [String: String] = [:]
      SettingFlags.add(of: serve, to: &flags)
      #expect(flags == [row.name: "x"])
    }
  }

  @Test func `each flag of a group of settings belongs to a row of the table`() {
    let help = Serve.helpMessage(columns: 100)
    let flags = help.matches(of: /(?m)^  --([a-z-]+) </).map { String($0.1) }
    #expect(Set(flags) == Set(SettingTable.rows.map(\.name) + ["config"]))
  }

  @Test(arguments: ["https://list.example.org", "https://LIST.example.org:443/"])
  func `the public URL may have an empty path`(_ text: String) throws {
    let settings = try Settings(SettingLayers(flags: ["public-url": text]))
    #expect(settings.publicURL?.description == "https://list.example.org")
  }

  @Test func `origins that do not fit the Content-Security-Policy are rejected`() throws {
    func settings(_ count: Int) throws(SettingError) -> Settings {
      let origins = (0..<count).map { "https://site\($0).example.org" }.joined(separator: ",")
      return try Settings(SettingLayers(flags: ["allowed-origins": origins]))
    }
    _ = try settings(60)
    let error = #expect(throws: SettingError.self) { try settings(280) }
    #expect(error?.description.hasPrefix("invalid value \"https://site0.") == true)
    #expect(error?.description.contains(" for --allowed-origins: ") == true)
    #expect(error?.description.contains("expected at most 2048: list fewer origins") == true)
  }

  @Test func `every setting accepts its default`() {
    for row in SettingTable.rows {
      #expect(row.accepts(row.defaultText), "\(row.name)")
    }
  }
}
