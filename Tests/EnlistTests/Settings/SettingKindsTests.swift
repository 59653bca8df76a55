import Delivery
import EmailAddresses
import HTTPSignals
import MailingList
import Testing

@testable import enlist

@Suite struct SettingKindsTests {
  @Test(
    arguments: [
      ("none", []),
      ("10.0.0.0/8", ["10.0.0.0/8"]),
      ("10.0.0.0/8,2001:db8::7, unix", ["10.0.0.0/8", "2001:db8::7", "unix"]),
      ("loopback", ["127.0.0.0/8", "::1", "unix"]),
      ("10.0.0.0/8, loopback", ["10.0.0.0/8", "127.0.0.0/8", "::1", "unix"]),
    ]
  )
  func `trusted proxies are parsed from networks separated by commas`(
    text: String, networks: [String]
  ) {
    let networks = networks.compactMap { ClientNetwork($0) }
    #expect(SettingKind.proxies.read(text) == networks)
  }

  @Test(arguments: [
    "", ",", "10.0.0.0/8,", "none,10.0.0.0/8", "loopback,none", "Loopback", "10.0.0.1/8",
    "proxy.example.org",
  ])
  func `a list of trusted proxies with an invalid network is rejected`(text: String) {
    #expect(SettingKind.proxies.read(text) == nil)
  }

  @Test(arguments: ["10m..8m", "8m..", "8m..10m..12m", "1ms..1s", "1s..25h", "8..10"])
  func `a malformed or out-of-bounds range of durations is an error`(_ text: String) {
    #expect(
      throws: SettingError(
        setting: "ENLIST_STREAM_LIFETIME", value: text,
        reason: "expected a duration, or a range such as 8m..10m, from 10ms to 1d")
    ) {
      try Settings.read(environment: ["ENLIST_STREAM_LIFETIME": text])
    }
  }

  @Test(
    arguments: [
      ("max-body", "256", "255"), ("max-body", "16MiB", "16777217"),
      ("request-timeout", "1s", "999ms"), ("request-timeout", "1h", "3601s"),
      ("threads", "256", "257"), ("threads", "1", "0"),
    ]
  )
  func `a bound is valid, and what is beyond it is not`(
    name: String, bound: String, beyond: String
  ) {
    #expect(throws: Never.self) { try Settings.read([name: bound]) }
    #expect(throws: SettingError.self) { try Settings.read([name: beyond]) }
  }

  @Test(
    arguments: [
      ("https://bücher.example", "https://xn--bcher-kva.example"),
      ("https://BÜCHER.example:8443/", "https://xn--bcher-kva.example:8443"),
      ("https://list.bücher.example", "https://list.xn--bcher-kva.example"),
      ("https://list.example.org.", "https://list.example.org"),
      ("https://例え.テスト", "https://xn--r8jz45g.xn--zckzah"),
    ]
  )
  func `an international host of an origin becomes its A-label`(_ text: String, _ origin: String) {
    #expect(SettingKind.origin.read(text)?.description == origin)
  }

  @Test func `an international host becomes its A-label in each kind of URL`() throws {
    let ascii = "xn--bcher-kva.example"
    #expect(SettingKind.url.read("https://bücher.example:1/a?b#c") == "https://\(ascii):1/a?b#c")
    let origins = SettingKind.origins.read("https://a.org, https://*.bücher.example:1")
    #expect(origins?.sources == ["https://a.org", "https://*.\(ascii):1"])
    let relay = SettingKind.relay.read("smtp://ü%40x:pä@bücher.example:25")
    #expect(relay?.text == "smtp://ü%40x:pä@\(ascii):25")
    let database = SettingKind.database.read("postgres://u@a,bücher.example:5433/bücher")
    #expect(database?.description == "postgres://u@a,\(ascii):5433/bücher")
    let mailbox = SettingKind.mailbox.read("Bücher <list@bücher.example>")
    #expect(mailbox?.address.normalized == "list@\(ascii)")
  }

  @Test(arguments: [
    "https://-bücher.example", "https://bü cher.example", "https://bü..example", "https://bü_.é",
    "https://a\u{200D}b.example", "https://p\u{430}ypal.example", "https://\u{FF0F}.example",
  ])
  func `a host that is no international domain is rejected`(_ text: String) {
    #expect(SettingKind.origin.read(text) == nil)
  }

  @Test(arguments: FormField.reservedNames)
  func `a field with a reserved name is rejected with that name`(_ name: String) {
    let fault = "\(name) is a name of the program's own; choose another"
    for text in [name, "\(name)*", "city,\(name)", "city*,\(name)*,size"] {
      #expect(SettingTable.all.fields.value(of: text) == nil)
      #expect(SettingTable.all.fields.fault(of: text) == fault)
    }
  }

  @Test(arguments: ["Name", "name,name", "1a", "_", "a,b,c,d,e,f,g,h,i", "", "a-b"])
  func `a list of fields that is invalid otherwise is rejected with what is valid`(_ text: String) {
    #expect(SettingTable.all.fields.fault(of: text).hasPrefix("expected none, or at most 8 diff"))
  }

  @Test(
    arguments: [
      ("smtp-url", "smtp://u:a%zz@a.example", true), ("smtp-url", "smtp://u:%@a.example", true),
      ("database", "postgres://u:a/b@h/d", true), ("database", "postgres://u:a%b@h/d", true),
      ("database", "postgres://u:a@h:99999/d", false), ("database", "mysql://u:a@h/d", false),
      ("smtp-url", "smtp//u:a@relay.example", false), ("smtp-url", "relay", false),
    ]
  )
  func `a URL whose password alone is wrong says how to write it`(
    _ name: String, _ text: String, _ isPassword: Bool
  ) throws {
    let row = try #require(SettingTable.rows.first { $0.name == name })
    #expect(row.value(of: text) == nil)
    #expect(row.fault(of: text).hasPrefix(isPassword ? "percent-encode " : "expected "))
  }

  @Test(arguments: ["https://list.example.org", "https://LIST.example.org:443/"])
  func `the public URL may have an empty path`(_ text: String) throws {
    #expect(SettingKind.origin.read(text)?.description == "https://list.example.org")
  }
}
