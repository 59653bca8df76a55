import MailingList
import Testing

@testable import Delivery

@Suite struct MailTextsTests {
  @Test func `every language has the same texts`() throws {
    let english = try #require(MailTexts.all.first)
    #expect(english.language == "en")
    #expect(english.keys.count == 13)
    for texts in MailTexts.all { #expect(texts.keys == english.keys, "\(texts.language)") }
  }

  @Test func `every text is used, and no text is empty or has a control`() throws {
    for texts in MailTexts.all {
      for kind in MailKind.allCases {
        for key in texts.keys where key.hasPrefix("\(kind.name).") {
          let name = String(key.dropFirst(kind.name.count + 1))
          let text = try #require(texts.text(name, of: kind, list: "Garden Letters"))
          #expect(!text.isEmpty)
          #expect(!text.contains("{"))
          let hasControl = text.unicodeScalars.contains(where: \.isControl)
          #expect(!hasControl)
        }
      }
    }
  }
}
