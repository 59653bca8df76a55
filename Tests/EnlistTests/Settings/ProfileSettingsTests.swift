import Foundation
import MailingList
import TestSupport
import Testing

@testable import enlist

/// The settings of the look and the words of the list.
@Suite struct ProfileSettingsTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func profile(_ flags: [String: String]) throws -> ListProfile {
    try settings(flags).listProfile()
  }

  private func settings(_ flags: [String: String]) throws -> Settings {
    try .read(flags)
  }

  @Test func `the profile has all settings of the list`() throws {
    let png = "\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) }
    try Data(png).write(to: URL(filePath: folder("logo.png")))
    try folder.write("a { color: red }", to: "own.css")
    let texts = try Folder()
    try texts.write(#"{"page.title":"Join","field.name":"First name"}"#, to: "en.json")
    let profile = try profile([
      "list-name": "Garden Letters", "list-description": "About gardens.",
      "site-url": "https://garden.example/letters", "logo": folder("logo.png"),
      "accent-color": "#1F5FA8", "privacy-url": "https://garden.example/privacy",
      "imprint-url": "http://garden.example", "consent-text": "Send me letters.",
      "fields": "name*,city", "texts": texts.path, "stylesheet": folder("own.css"),
    ])
    #expect(profile.name == "Garden Letters")
    #expect(profile.description == "About gardens.")
    #expect(profile.siteURL == "https://garden.example/letters")
    #expect(profile.logo?.format == .png)
    #expect(profile.accent?.text == "#1f5fa8")
    #expect(profile.privacyURL == "https://garden.example/privacy")
    #expect(profile.imprintURL == "http://garden.example")
    #expect(profile.consentText == "Send me letters.")
    #expect(profile.fields == [FormField(name: "name", isRequired: true), FormField(name: "city")])
    #expect(profile.texts == ["en": ["page.title": "Join", "field.name": "First name"]])
    #expect(profile.stylesheet == "a { color: red }")
  }

  @Test(arguments: [
    ("site-url", "garden.example"), ("site-url", "javascript:alert(1)"),
    ("privacy-url", "https://user@garden.example/"), ("imprint-url", "ftp://garden.example"),
    ("accent-color", "red"), ("fields", "Name"), ("list-description", "a\nb"),
  ])
  func `an invalid value is rejected`(name: String, value: String) {
    let error = #expect(throws: SettingError.self) { try profile([name: value]) }
    #expect(error?.description.contains(" for --\(name): expected none, or ") == true)
  }

  @Test(
    arguments: [
      ("logo", "GIF89a", "the file is neither PNG nor SVG"),
      ("logo", String(repeating: "<svg/>", count: 11_000), "the file is longer than 65536 bytes"),
      ("stylesheet", "\u{0}", nil),
    ] as [(String, String, String?)]
  )
  func `a file that cannot be used is named with the reason`(
    name: String, content: String, reason: String?
  ) throws {
    try folder.write(content, to: "file")
    let path = folder("file")
    guard let reason else {
      #expect(throws: Never.self) { try profile([name: path]) }
      return
    }
    let error = #expect(throws: SettingError.self) { try profile([name: path]) }
    #expect(error?.description == "invalid value \"\(path)\" for --\(name): \(reason)")
  }

  @Test(arguments: [
    (
      "de.json", #"{"page.titel":"x"}"#, "no text has the name page.titel; did you mean page.title?"
    ),
    ("de.json", #"{"page.title":1}"#, "expected a JSON object whose values are strings"),
    ("german!.json", "{}", "expected a name such as de.json or pt-BR.json"),
  ])
  func `a file of texts that cannot be used is named with the reason`(
    name: String, content: String, reason: String
  ) throws {
    try folder.write(content, to: name)
    let error = #expect(throws: SettingError.self) { try profile(["texts": folder.path]) }
    #expect(error?.description.hasSuffix("\(name)\" for --texts: \(reason)") == true)
  }

  @Test(
    arguments: [
      ("logo", "the file cannot be read"), ("stylesheet", "the file cannot be read"),
      ("texts", "the directory cannot be read"),
    ]
  )
  func `a missing file has the reason of the system`(_ setting: String, _ reason: String) {
    let error = #expect(throws: SettingError.self) { try profile([setting: "/nowhere/x"]) }
    #expect(error?.reason == "\(reason): No such file or directory")
  }

  @Test func `startup names the texts that a new language lacks, and a color that is adjusted`()
    throws
  {
    try folder.write(#"{"page.title":"Assinar"}"#, to: "pt.json")
    try folder.write(#"{"page.title":"Bestellen"}"#, to: "de.json")
    let settings = try settings(["texts": folder.path, "accent-color": "#ffcc00"])
    let warnings = try settings.warnings(about: settings.listProfile())
    #expect(warnings.count == 2)
    #expect(
      warnings[0].hasPrefix("--accent-color #ffcc00 would be hard to read on a light page; #"))
    #expect(warnings[1].hasPrefix("--texts: pt.json lacks texts, which remain in English: code."))
    #expect(warnings[1].contains("mail.confirm.subject"))
    #expect(!warnings[1].contains("page.title,"))
  }
}
