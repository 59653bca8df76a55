import MailingList
import Testing

@testable import Delivery

@Suite struct MailTextsTests {
  @Test func `every language has the same texts`() throws {
    let english = try #require(MailTexts.builtIn.first)
    #expect(english.language == "en")
    #expect(english.keys.count == 18)
    for texts in MailTexts.builtIn { #expect(texts.keys == english.keys, "\(texts.language)") }
  }

  @Test func `no text is empty or has a control`() throws {
    for texts in MailTexts.builtIn {
      for kind in MailKind.allCases {
        for (_, text) in texts.texts(of: kind, list: "Garden Letters") {
          #expect(!text.isEmpty)
          #expect(!text.contains("{"))
          let hasControl = text.unicodeScalars.contains(where: \.isControl)
          #expect(!hasControl)
        }
      }
    }
  }
}
