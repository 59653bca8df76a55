import ArgumentParser
import Testing

@testable import enlist

/// The flags of settings, which the argument parser finds by reflection.
@Suite struct SettingFlagsTests {
  @Test func `each flag of serve sets the setting with its name`() throws {
    for name in SettingTable.rows.map(\.name) + ["config"] {
      let serve = try #require(try EnlistCommand.parseAsRoot(["--\(name)", "x"]) as? Serve)
      #expect(serve.flags.texts == [name: "x"])
    }
  }

  @Test func `a command has the flags of its group, and no others`() {
    func check<Group: SettingGroup>(_: Group.Type) {
      for row in SettingTable.rows {
        let flags = try? SettingFlags<Group>.parse(["--\(row.name)=x"])
        let isOfGroup = Group.rows.contains { $0.name == row.name }
        #expect(flags?.texts == (isOfGroup ? [row.name: "x"] : nil), "\(Group.self) \(row.name)")
      }
    }
    check(DatabaseSettings.self)
    check(SecretSettings.self)
    check(PeopleSettings.self)
    check(ExportSettings.self)
    check(WebhookSettings.self)
    check(CopySettings.self)
    check(MailSettings.self)
    check(CheckSettings.self)
    check(HealthcheckSettings.self)
  }

  @Test func `flags that are not given are no texts, and the last one of a name counts`() throws {
    #expect(try SettingFlags<AllSettings>.parse([]).texts.isEmpty)
    let flags = try SettingFlags<AllSettings>.parse(["--drain", "1s", "--drain", "2s"])
    #expect(flags.texts == ["drain": "2s"])
  }

  @Test func `the help of serve has the flag of each setting`() {
    let flags = Serve.helpMessage(columns: 100).matches(of: /(?m)^  --([a-z-]+) </)
      .map { String($0.1) }
    #expect(flags.sorted() == (SettingTable.rows.map(\.name) + ["config"]).sorted())
  }

  @Test func `help is plain text, without marks of code and targets of links`() {
    let help = Serve.helpMessage(columns: 500)
    #expect(!help.contains("`"))
    #expect(!help.contains("]("))
    for text in [
      "sqlite:PATH, or postgres://USER@HOST[,HOST]/DATABASE for PostgreSQL (default: sqlite:",
      "The relay: smtp://[user:password@]host[:port] (port 25,",
      "[::]:8080 is all IPv4",
      "with the board, the API, metrics and health checks",
    ] { #expect(help.contains(text), "\(text)") }
  }
}
