import Delivery
import EmailAddresses
import Foundation
import MailingList
import Security
import Services
import TestSupport
import Testing

@testable import enlist

/// Tests of the settings of mail, one by one and together.
@Suite struct MailSettingsTests {
  /// The settings with which mail goes to a relay.
  private static let relay = [
    "smtp-url": "smtp://relay.example.com", "mail-from": "news@example.org",
    "public-url": "https://list.example.org",
  ]

  private func settings(_ flags: [String: String]) throws(SettingError) -> Settings {
    try .read(flags)
  }

  private func delivery(_ changes: [String: String] = [:]) throws(SettingError) -> MailDelivery? {
    let flags = Self.relay.merging(changes) { $1 }.filter { !$0.value.isEmpty }
    return try settings(flags).mailDelivery(of: ListProfile(name: "News"))
  }

  private func relaySettings(_ changes: [String: String]) throws -> SMTPSettings {
    guard case .relay(let settings)? = try delivery(changes)?.destination else {
      throw SettingError(setting: "test", reason: "there is no relay")
    }
    return settings
  }

  @Test func `without settings of mail there is no mail, and no warning`() throws {
    let settings = try settings([:])
    #expect(try settings.mailDelivery(of: ListProfile()) == nil)
    #expect(settings.mailWarnings.isEmpty)
  }

  @Test func `opt-in is double exactly if mail can be sent, and the reason is a setting`() throws {
    func check(
      _ flags: [String: String], _ expected: OptIn, _ reason: String,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let (optIn, found) = try settings(flags).effectiveOptIn
      #expect(optIn == expected, sourceLocation: sourceLocation)
      #expect(found == reason, sourceLocation: sourceLocation)
    }
    try check([:], .single, "neither --smtp-url nor --mail-to-directory is set")
    try check(Self.relay, .double, "--smtp-url is set")
    try check(["mail-to-directory": "mail"], .double, "--mail-to-directory is set")
    try check(Self.relay.merging(["opt-in": "single"]) { $1 }, .single, "--opt-in is set")
  }

  @Test(
    arguments: [
      (["opt-in": "double"], "--opt-in", "requires --smtp-url or --mail-to-directory"),
      (["smtp-user": "list"], "--smtp-url", "--smtp-user requires --smtp-url"),
      (["smtp-password": "x"], "--smtp-url", "--smtp-password requires --smtp-url"),
      (["smtp-tls": "off"], "--smtp-url", "--smtp-tls requires --smtp-url"),
      (["smtp-ca": "ca.pem"], "--smtp-url", "--smtp-ca requires --smtp-url"),
    ]
  )
  func `settings without a relay are rejected where they have no effect`(
    _ flags: [String: String], _ setting: String, _ reason: String
  ) throws {
    let error = #expect(throws: SettingError.self) {
      try settings(flags).mailDelivery(of: ListProfile(name: "News"))
    }
    #expect(error?.setting == setting)
    #expect(error?.reason.contains(reason) == true)
  }

  @Test(
    arguments: [
      (["mail-from": ""], "--mail-from", "--smtp-url requires --mail-from"),
      (["public-url": ""], "--public-url", "--smtp-url requires --public-url"),
      (["mail-to-directory": "mail"], "--mail-to-directory", "--smtp-url is also set"),
      (["smtp-password": "x"], "--smtp-user", "--smtp-password requires --smtp-user"),
      (["smtp-url": "smtps://relay.example.com", "smtp-tls": "off"], "--smtp-tls", "always"),
      (["smtp-user": "list", "smtp-tls": "opportunistic"], "--smtp-tls", "a user requires TLS"),
      (["smtp-ca": "/dev/null"], "--smtp-ca", "not a file"),
      (["smtp-ca": "/etc/passwd"], "--smtp-ca", "no certificate in PEM"),
      (["smtp-ca": "/nowhere/ca.pem"], "--smtp-ca", "cannot be read"),
      (["templates": "/nowhere"], "--templates", "cannot be read"),
      (["templates": "/dev/null"], "--templates", "not a directory"),
    ]
  )
  func `settings of mail that contradict each other are rejected`(
    _ changes: [String: String], _ setting: String, _ reason: String
  ) throws {
    let error = #expect(throws: SettingError.self) { try delivery(changes) }
    #expect(error?.setting == setting)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func `the error about a missing setting says which setting requires it, and why`() throws {
    func error(_ changes: [String: String]) -> String? {
      #expect(throws: SettingError.self) { try delivery(changes) }?.description
    }
    #expect(
      error(["public-url": ""])
        == """
        --public-url: --smtp-url requires --public-url, with which the links in each mail begin: \
        https://list.example.org
        """
    )
    #expect(
      error(["mail-from": "", "smtp-url": "", "mail-to-directory": "mail"])
        == """
        --mail-from: --mail-to-directory requires --mail-from, the sender of each mail: \
        List <list@example.org>
        """
    )
    #expect(
      error(["smtp-url": "", "smtp-user": "list"])
        == "--smtp-url: --smtp-user requires --smtp-url, the relay to which it applies"
    )
  }

  @Test(
    arguments: [
      ("smtp-url", "relay.example.com"), ("smtp-url", "http://relay.example.com"),
      ("smtp-url", "smtp://"), ("smtp-url", "smtp://relay.example.com:0"), ("smtp-tls", "yes"),
      ("smtp-connections", "0"), ("smtp-connections", "33"), ("smtp-timeout", "0s"),
      ("mail-from", "news"), ("mail-from", "Grüße <grüße@example.org>"),
      ("mail-from", "A\r\nBcc: x@example.org <news@example.org>"),
      ("bounce-address", "Bounces <bounces@example.org>"), ("bounce-address", "none"),
      ("list-name", "a\nb"), ("list-name", String(repeating: "x", count: 201)),
      ("mail-footer", "a\rb"), ("mail-footer", String(repeating: "x", count: 1001)),
      ("mail-retry", "1d"), ("mail-budget", "500"), ("mail-budget", "0/1d"),
      ("mail-budget", "5/30m"), ("mail-budget", "5/90m"), ("mail-budget-per-domain", "20/8d"),
      ("alarm-to", "ops"), ("confirm-code", "yes"), ("consent-address", "all"),
      ("secret", "c2hvcnQ="), ("opt-in", "triple"), ("mail-to-directory", ""),
    ]
  )
  func `an invalid value of a mail setting is rejected`(_ name: String, _ value: String) {
    let error = #expect(throws: SettingError.self) { try settings([name: value]) }
    #expect(error?.setting == "--\(name)")
    #expect(error?.reason.hasPrefix("expected ") == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test(arguments: ["smtp-password", "secret"])
  func `an error about a secret shows stars`(_ name: String) {
    let error = #expect(throws: SettingError.self) { try settings([name: "hunter2\u{0}"]) }
    #expect(error?.description.hasPrefix("invalid value \"***\" for --\(name): ") == true)
    #expect(error?.description.contains("hunter2") == false)
  }

  @Test func `an error about the relay's URL does not show its password`() {
    let error = #expect(throws: SettingError.self) {
      try settings(["smtp-url": "smtp//list:hunter2@relay.example.com"])
    }
    #expect(error?.description.contains("hunter2") == false)
  }

  @Test func `a password is neither described nor dumped`() throws {
    let settings = try settings(
      Self.relay.merging(
        [
          "smtp-url": "smtp://list:hunter2@relay.example.com", "smtp-password": "hunter2",
          "secret": Secret().text,
        ]
      ) { $1 }
    )
    var dumped = ""
    dump(settings, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(!"\(settings)".contains("hunter2"))
    if let secret = settings.secret { #expect(!dumped.contains(secret.current.text)) }
  }

  @Test func `the relay's settings follow from the flags`() throws {
    let settings = try relaySettings([
      "smtp-user": "l@st", "smtp-password": "p%w", "smtp-connections": "5",
      "smtp-timeout": "7s", "bounce-address": "bounces@example.net",
    ])
    #expect(settings.server.port == 587)
    #expect(settings.server.user == "l@st")
    #expect(settings.server.password == "p%w")
    #expect(settings.security == .required)
    #expect(settings.connectionCount == 5)
    #expect(settings.replyTimeout == .seconds(7))
    #expect(settings.sender.smtpMailbox == "bounces@example.net")
    #expect(settings.clientName == "list.example.org")
    let plain = try relaySettings([:])
    #expect(plain.security == .opportunistic)
    #expect(plain.sender.smtpMailbox == "news@example.org")
    let options = try #require(try delivery(["smtp-timeout": "7s", "mail-retry": "2m"])).options
    #expect(options.lease == .seconds(21))
    #expect(options.policy == RetryPolicy(firstDelay: .seconds(120)))
  }

  @Test func `the name of the list is by default the host of the public URL`() throws {
    #expect(try settings(Self.relay).listProfile().name == "list.example.org")
    let named = try settings(Self.relay.merging(["list-name": "News"]) { $1 })
    #expect(try named.listProfile().name == "News")
    #expect(try settings([:]).listProfile().name == "")
  }

  @Test func `a template that cannot be used is reported with its position`() throws {
    let folder = try Folder()
    try folder.write("{{confirmURL}} {{unsubscribeURL}}\n{{#code}}\n", to: "confirm.de.txt")
    let error = #expect(throws: SettingError.self) { try delivery(["templates": folder.path]) }
    #expect(error?.description.hasPrefix("--templates: confirm.de.txt:") == true)
    #expect(error?.description.wholeMatch(of: /--templates: confirm\.de\.txt:\d+:\d+: .+/) != nil)
  }

  @Test func `a directory for mail is created for its owner only`() throws {
    let folder = try Folder()
    let path = folder("mail")
    let flags = ["smtp-url": "", "mail-to-directory": path]
    guard let delivery = try delivery(flags), case .directory(path) = delivery.destination else {
      Issue.record("mail does not go to the directory")
      return
    }
    #expect(try folder.names.isEmpty)
    try delivery.createDirectory()
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(try self.delivery(flags) != nil)
    let inner = folder("none/mail")
    let error = #expect(throws: SettingError.self) {
      try self.delivery(["smtp-url": "", "mail-to-directory": inner])
    }
    #expect(error?.reason.hasPrefix("the directory cannot be created: ") == true)
  }

  @Test func `without https there is a warning about one-click`() throws {
    let plain = try settings(Self.relay.merging(["public-url": "http://localhost:8080"]) { $1 })
    #expect(plain.mailWarnings.count == 1)
    #expect(try settings(Self.relay).mailWarnings.isEmpty)
  }

  @Test(
    arguments: [
      ("smtp://list:x@relay.example.com", "off", true),
      ("smtp://list:x@relay.example.com", "required", false),
      ("smtp://list:x@relay.example.com", "auto", false),
      ("smtp://relay.example.com", "off", false), ("smtp://list:x@127.0.0.1", "off", false),
      ("smtp://list:x@[::1]", "off", false), ("smtp://list:x@localhost", "off", false),
      ("smtp://list:x@127.example.com", "off", true),
    ]
  )
  func `there is a warning if others can read the password for the relay`(
    _ url: String, _ security: String, _ isWarned: Bool
  ) throws {
    let settings = try settings(Self.relay.merging(["smtp-url": url, "smtp-tls": security]) { $1 })
    #expect(settings.mailWarnings.contains { $0.contains("--smtp-tls") } == isWarned)
    #expect(!settings.mailWarnings.joined().contains("list:x"))
  }

  @Test func `an authority that is not a file is reported, without waiting`() throws {
    let folder = try Folder()
    let path = folder("ca.pem")
    #expect(mkfifo(path, 0o600) == 0)
    let error = #expect(throws: SettingError.self) { try relaySettings(["smtp-ca": path]) }
    #expect(error?.reason == "the path is not a file")
  }

  // MARK: The secret

  @Test func `--secret-file reads the secret from a file`() throws {
    let folder = try Folder()
    let secret = Secret()
    let path = try folder.write("\(secret.text)\r\n", to: "secret")
    let fromFlag = try settings(["secret-file": path])
    #expect(fromFlag.secret?.current.bytes == secret.bytes)
    let fromVariable = try Settings.read(environment: ["ENLIST_SECRET_FILE": path])
    #expect(fromVariable.secret?.current.bytes == secret.bytes)
    let both = #expect(throws: SettingError.self) {
      try settings(["secret-file": path, "secret": secret.text])
    }
    #expect(both?.description.contains("set only one of them") == true)
    #expect(both?.description.contains(secret.text) == false)
  }

  @Test func `a file with an invalid secret is named, and its content is not shown`() throws {
    let folder = try Folder()
    let path = try folder.write("hunter2", to: "secret")
    let error = #expect(throws: SettingError.self) { try settings(["secret-file": path]) }
    #expect(error?.setting == "--secret-file")
    #expect(error?.value == path)
    #expect(error?.description.contains("hunter2") == false)
  }
}
