import Platform
import Testing

@testable import Delivery

@Suite struct WebhookTargetsTests {
  @Test(arguments: [
    "https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f.1/",
    "https://0177.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/", "https://[::127.0.0.1]/", "https://169.254.169.254/latest",
    "https://10.0.0.1/", "https://192.168.1.1/", "https://172.16.0.1/", "https://100.64.0.1/",
    "https://0.0.0.0/", "https://[fe80::1]/", "https://[fd00::1]/", "https://[64:ff9b::7f00:1]/",
    "https://[2001::1]/", "https://[2002:7f00:1::]/", "https://224.0.0.1/",
    "https://example.org:22/", "https://example.org:80/", "https://example.org:1023/",
    "http://example.org/",
  ])
  func `a private address, another port, and http are not allowed`(_ url: String) {
    #expect(throws: WebhookURLError.notAllowed) { try WebhookTargets().check(url) }
  }

  @Test(arguments: [
    "", "example.org", "https:///example.org/", "https:/example.org/", "https://./", "https://-/",
    "ftp://example.org/", "file:///etc/passwd", "https://", "https:///path", "https://:443/",
    "https://:8443", "https://@/", "https://:@/", "https://@:443/", "https://?x=1", "http://:8080/",
    "https://[]/", "https://%20/", "https://../", "https:path",
    "https://ana@example.org/", "https://ana:secret@example.org/", "https://example.org/#part",
    "https://example.org/#", "https://example.org:99999/", "https://example.org/a b",
    "https://example.org/\u{1}", "https://example.org/ä", "https://bü cher.example/",
    "gopher://example.org/",
    "https://example.org/" + String(repeating: "a", count: 2_048),
  ])
  func `what is not a URL for a webhook is malformed`(_ url: String) {
    #expect(throws: WebhookURLError.malformed) { try WebhookTargets().check(url) }
  }

  /// As DNS names: labels of 1 to 63 bytes, 253 bytes in all, without other characters.
  @Test(arguments: [
    "a..b", ".example.org", "example.org..", "a~b.example.org", "a|b.example.org",
    "a!b.example.org", "a%7Eb.example.org", "\(label(64)).example.org",
    "\(label(63)).\(label(63)).\(label(63)).\(label(62))",
  ])
  func `a host that no name can have is malformed`(_ host: String) {
    for url in ["https://\(host)/", "https://\(host):8443/hook", "http://\(host)"] {
      #expect(throws: WebhookURLError.malformed, "\(url)") { try WebhookTargets().check(url) }
    }
  }

  @Test(arguments: [
    "a-b.example.org", "a_b.example.org", "xn--bcher-kva.example", "example.org.", "localhost",
    "1a.example", "\(label(63)).\(label(63)).\(label(63)).\(label(61))",
  ])
  func `a name with hyphens, underscores or the dot of a complete one is allowed`(
    _ host: String
  ) throws {
    try WebhookTargets().check("https://\(host)/hook")
  }

  @Test(arguments: [
    "https://example.org", "https://example.org/hook?token=1", "https://example.org:8443/",
    "https://example.org:443/", "https://8.8.8.8/", "https://[2606:4700:4700::1111]/",
    "HTTPS://example.org/",
  ])
  func `a public address and a name are allowed`(_ url: String) throws {
    try WebhookTargets().check(url)
  }

  @Test func `an international host becomes its A-label, and is checked as such`() throws {
    let url = try WebhookTargets().check("https://Bücher.example:8443/hook?token=1")
    #expect(url == "https://xn--bcher-kva.example:8443/hook?token=1")
    // The digits are wider than usual.
    for hidden in ["https://１２７.0.0.1/", "https://①②⑦.0.0.1/", "https://10。0。0。1/"] {
      #expect(throws: WebhookURLError.self, "\(hidden)") { try WebhookTargets().check(hidden) }
    }
  }

  @Test func `the networks of the setting are allowed, there also http`() throws {
    let block = try #require(CIDRBlock("10.1.0.0/16"))
    let targets = WebhookTargets(networks: [block])
    for url in ["http://10.1.2.3/", "http://10.1.2.3:8080/", "https://10.1.2.3/"] {
      try targets.check(url)
    }
    // The address of a name is checked with each request.
    try targets.check("http://example.org/")
    for url in ["http://10.2.0.1/", "http://8.8.8.8/", "https://10.2.0.1/", "http://10.1.2.3:22/"] {
      #expect(throws: WebhookURLError.notAllowed) { try targets.check(url) }
    }
    let mapped = try #require(IPAddress("::ffff:10.1.2.3"))
    #expect(targets.allows(mapped, isEncrypted: false))
    let tunnel = try #require(IPAddress("2002:a01:203::"))
    #expect(!targets.allows(tunnel, isEncrypted: true))
  }
}

/// A label of a name, of that many bytes.
private func label(_ count: Int) -> String { String(repeating: "a", count: count) }
