import EmailAddresses
import Foundation
import HTTPSignals
import HTTPTypes
import MailingList
import Testing

@testable import Services

/// The texts for visitors and clients.
@Suite struct TextsTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources")

  /// The text of each Swift file of the program.
  private static func files() throws -> [(name: String, text: String)] {
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    return try (files ?? .init()).compactMap { file in
      guard let file = file as? URL, file.pathExtension == "swift" else { return nil }
      return (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
    }
  }

  @Test func `the program uses the texts that are defined, and defines the texts that it uses`() {
    let defined = LanguageTexts.english.own.keys.filter { !$0.hasPrefix("mail.") }
    #expect(Texts.usedKeys == defined.sorted())
    #expect(Texts.usedKeys.count > 100)
  }

  @Test func `other languages define only texts that English has`() {
    for texts in LanguageTexts.builtIn {
      let unknown = texts.own.keys.filter { LanguageTexts.english[$0] == nil }
      #expect(unknown == [], "\(texts.language)")
      #expect(!texts.own.isEmpty)
    }
  }

  @Test func `no enum of keys or of problem types is missing in the lists`() throws {
    var keySets: Set<String> = []
    var types: Set<String> = []
    for (_, text) in try Self.files() {
      for match in text.matches(of: /(?:enum|extension) ([A-Za-z.]+):([^{]*)\{/) {
        if match.2.contains("TextKey") { keySets.insert(String(match.1)) }
        if match.2.contains("ProblemType") { types.insert(String(match.1)) }
      }
    }
    let listed = Texts.keySets.map { String(reflecting: $0) }
    for name in keySets {
      #expect(listed.contains { $0.hasSuffix(".\(name)") }, "\(name)")
    }
    #expect(keySets.count == listed.count)
    #expect(types == ["HTTPProblem", "KeyProblem", "APIProblem", "ServiceProblem"])
  }

  @Test func `no text for people is in the program`() throws {
    for (name, text) in try Self.files() {
      #expect(!text.contains(/\b(detail|title): "[A-Z]/), "\(name)")
    }
  }

  @Test func `every language has its own texts for the page and for each reason`() {
    for texts in TextCatalog.builtIn.all {
      for key in Texts.usedKeys where !key.hasPrefix("problem.") {
        #expect(texts.has(key), "\(texts.language) \(key)")
      }
      for reason in EmailAddressError.Reason.allCases {
        #expect(texts.has("reason.\(reason.rawValue)"), "\(texts.language) \(reason)")
      }
      #expect(texts.has("problem.title"))
      #expect(texts.has("problem.misdirected-request.detail"))
      for key in WrongCode.allCases { #expect(texts.has(key.key), "\(texts.language) \(key)") }
    }
  }

  @Test func `every language names the list in the texts about it`() {
    for texts in TextCatalog.builtIn.all {
      for key in [.confirmIntro, .leaveIntro, .leaveDone] as [PageText] {
        #expect(texts[key].contains("{list}"), "\(texts.language) \(key)")
        #expect(texts[key, list: "News"].contains("News"))
      }
    }
  }

  @Test func `a message for an invalid address is a sentence`() {
    for reason in EmailAddressError.Reason.allCases {
      #expect(reason.message == Texts.english[reason])
      #expect(reason.message.hasSuffix("."))
    }
  }

  @Test func `a text contains the values of its arguments`() throws {
    #expect(
      Texts.english[ProblemDetails.tooLarge(maximumBodyBytes: 16_384).text]
        == "The request body exceeds 16384 bytes."
    )
    #expect(
      Texts.english[ProblemText(MalformedBody.repeatedField, [.init("name", "email")])]
        == "The field email occurs more than once."
    )
    let german = try #require(TextCatalog.builtIn.all.first { $0.language == "de" })
    #expect(
      german[ProblemText(MalformedBody.tooManyFields, [.init("count", 32)])]
        == "The body has more than 32 fields."
    )
  }

  @Test func `a problem has the title of its type`() {
    #expect(Texts.english.title(of: .notFound) == "Not found")
    #expect(Texts.english.title(of: .commandDisabled) == "Not accepting sign-ups")
    #expect(ProblemDetails.notFound.titleKey == "problem.not-found.title")
  }
}

extension Texts {
  /// All enums of keys.
  fileprivate static let keySets: [any TextKey.Type] = [
    MalformedRequest.self, MalformedBody.self, InvalidField.self, WrongCode.self,
    EmailAddressError.Reason.self, Deliverability.Reason.self, LimitedRequest.self,
    StorageUnavailable.self, Unauthorized.self, EventsExpired.self, PageText.self, VisitorText.self,
  ]

  /// The keys of all texts that the program uses, sorted.
  fileprivate static var usedKeys: [String] {
    func keys<Key: TextKey>(of set: Key.Type) -> [String] { set.allCases.map(\.key) }
    let used = Set(
      keySets.flatMap { keys(of: $0) } + problemNames.flatMap { Self.keys(ofProblem: $0) })
    return used.sorted()
  }

  /// The keys of a problem type: its title, its text unless it has several, and its help, if any.
  private static func keys(ofProblem name: String) -> [String] {
    let several: [any ProblemType] = [
      HTTPProblem.malformedBody, HTTPProblem.malformedRequest, ServiceProblem.invalidEmail,
      ServiceProblem.invalidField, ServiceProblem.tooManyRequests,
    ]
    let parts =
      ["title"] + (several.contains { $0.rawValue == name } ? [] : ["detail"])
      + (english.has("problem.\(name).help") ? ["help"] : [])
    return parts.map { "problem.\(name).\($0)" }
  }
}
