import MailingList
import Testing

@testable import Delivery

@Suite struct MailTextsTests {
  @Test(arguments: LanguageTexts.builtIn)
  func `every language has all texts of mails`(texts: LanguageTexts) {
    let keys = LanguageTexts.english.own.keys.filter { $0.hasPrefix("mail.") }
    #expect(keys.count == 18)
    #expect(keys.filter { texts.own[$0] == nil } == [])
  }

  @Test func `no text is empty or has a control`() throws {
    for texts in LanguageTexts.builtIn {
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
