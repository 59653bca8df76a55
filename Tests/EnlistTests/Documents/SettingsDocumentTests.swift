import Foundation
import TestSupport
import Testing

@testable import enlist

/// Tests that the tables in `docs/settings.md` are those of the table of settings.
///
/// Each table follows a comment with the names of its settings: `<!-- table: listen tls-key -->`.
@Suite struct SettingsDocumentTests {
  private static let path = "docs/settings.md"

  /// The comment before a table, and the lines of the table.
  private let table = #/<!-- table: ([a-z -]+) -->\n\n(?:\|.*\n)*/#

  @Test func `the tables of settings are written from the rows of the program`() throws {
    let page = try Document(Self.path).text
    let written = try page.replacing(table) { match in
      let rows = try match.1.split(separator: " ").map { name in
        try #require(SettingTable.rows.first { $0.name == name }, "there is no setting \(name)")
      }
      return "<!-- table: \(match.1) -->\n\n" + Self.text(of: rows)
    }
    if ProcessInfo.processInfo.environment["ENLIST_WRITE_DOCUMENTS"] == "1" {
      let file = Repository.root.appending(path: Self.path)
      try written.write(to: file, atomically: true, encoding: .utf8)
    } else {
      let remedy = """
        \(Self.path) differs from the settings; write it with: \
        ENLIST_WRITE_DOCUMENTS=1 swift test --filter SettingsDocumentTests
        """
      #expect(page == written, "\(remedy)")
    }
  }

  @Test func `each setting is in one table`() throws {
    let page = try Document(Self.path).text
    let names = page.matches(of: table).flatMap { $0.1.split(separator: " ").map(String.init) }
    #expect(names.sorted() == SettingTable.rows.map(\.name).sorted())
  }

  private static func text(of rows: [any SettingRow]) -> String {
    let head = "| flag | variable | default | meaning |\n|---|---|---|---|\n"
    return rows.reduce(into: head) { text, row in
      let variable = "ENLIST_" + row.name.uppercased().replacing("-", with: "_")
      // The number of threads depends on the machine.
      let value = row.name == SettingTable.all.threads.name ? "–" : "`\(row.standard)`"
      text += "| `--\(row.name)` | `\(variable)` | \(value) | \(row.help) |\n"
    }
  }
}
