import Signals
import TestSupport
import HTTPSignals
import HTTPTypes
import MailingList
import Security
import SignalsTesting
import Testing

@testable import Services

@Suite struct KeyGateTests {
  private let service = OperatorUnderTest()

  @Test func `a key with the scope is accepted, and its use is stored to the minute`() throws {
    let key = service.makeKey()
    let minute = service.now
    for (time, useCount) in [(minute, 1), (minute.adding(.seconds(60)), 2)] {
      service.advance(seconds: 7)
      for _ in 0..<3 { #expect(service.send(key: key.text)?.status == .ok) }
      let stored = try #require(service.stored(key))
      #expect(stored.lastUsedAt == time)
      #expect(stored.lastUsedFrom == "192.0.2.0/24")
      #expect(stored.lastOrigin == nil)
      #expect(service.useCount == useCount)
      service.advance(seconds: 53)
    }
  }

  @Test func `a request with more than one key is rejected, whichever of them is valid`() {
    let key = service.makeKey()
    for others in [["Bearer \(key.text)"], ["Bearer x"], ["Basic eDp5"], [""]] {
      for fields in [others + ["Bearer \(key.text)"], ["Bearer \(key.text)"] + others] {
        let response = service.send(authorization: fields)
        #expect(response?.status == .unauthorized)
        #expect(response?.problem == "unauthorized")
      }
    }
    #expect(service.useCount == 0)
  }

  @Test func `uses from two networks and by many pages are stored once a minute, the newest last`()
  {
    let scheduler = TestScheduler()
    let service = OperatorUnderTest(scheduler: scheduler)
    let key = service.makeKey()
    var networks: [String?] = []
    for second in 0..<600 {
      let client: ClientAddress = second.isMultiple(of: 2) ? .v4(0xC000_0207) : .v4(0xC633_6401)
      _ = service.send(key: key.text, client: client)
      let page = second < 300 ? "https://page\(second).example" : nil
      if let page { _ = service.send(key: key.text, fields: ["Origin": page], client: client) }
      service.advance(seconds: 1)
      scheduler.advance(by: .seconds(1))
      if service.useCount > networks.count { networks.append(service.stored(key)?.lastUsedFrom) }
    }
    #expect(service.useCount == 11)
    #expect(networks == ["192.0.2.0/24"] + Array(repeating: "198.51.100.0/24", count: 10))
    let stored = service.stored(key)
    #expect(stored?.lastOrigin == "https://page299.example")
    #expect(stored?.lastUsedAt == service.now.adding(.seconds(-60)))
  }

  @Test func `a page is stored although a program has used the key after it`() {
    let scheduler = TestScheduler()
    let service = OperatorUnderTest(scheduler: scheduler)
    let key = service.makeKey()
    _ = service.send(key: key.text)
    _ = service.send(key: key.text, fields: ["Origin": "https://page.example"])
    _ = service.send(key: key.text, client: .v4(0xC633_6401))
    #expect(service.useCount == 1)
    service.advance(seconds: 60)
    scheduler.advance(by: .seconds(60))
    let stored = service.stored(key)
    #expect(stored?.lastOrigin == "https://page.example")
    #expect(stored?.lastUsedFrom == "198.51.100.0/24")
    #expect(service.useCount == 2)
  }

  @Test func `the scheme of the field is not case-sensitive, and any white space may follow it`() {
    let key = service.makeKey()
    for scheme in ["bearer ", "BEARER  ", "Bearer \t ", "Bearer\t"] {
      #expect(service.send(fields: ["authorization": "\(scheme)\(key.text)"])?.status == .ok)
    }
  }

  @Test func `a request without a key gets 401 with a challenge`() throws {
    for fields in [[:], ["Authorization": "Basic eDp5"]] as [KeyValuePairs<String, String>] {
      let response = try #require(service.send(fields: fields))
      #expect(response.status == .unauthorized)
      #expect(response.problem == "unauthorized")
      #expect(response.fields[.wwwAuthenticate] == "Bearer realm=\"enlist\"")
      #expect(response.text.contains("This request needs a key: Authorization: Bearer KEY."))
    }
    #expect(service.metrics.contains("enlist_key_failures_total{cause=\"missing\"} 2\n"))
  }

  @Test func `a wrong key gets 401, and a key that was cut off is called incomplete`() throws {
    let key = service.makeKey()
    let last = key.text.hasSuffix("0") ? "1" : "0"
    let invalid = "The key is unknown, revoked, or expired."
    let texts: [(String, String)] = [
      (APIKey().text, invalid), (APIKey.example, invalid), ("secret", invalid),
      (String(key.text.dropLast()) + last, "The key is incomplete: its checksum does not match."),
    ]
    for (text, detail) in texts {
      let response = try #require(service.send(key: text))
      #expect(response.status == .unauthorized)
      #expect(response.text.contains(detail))
      #expect(!response.text.contains(text))
    }
    #expect(service.metrics.contains("enlist_key_failures_total{cause=\"unknown\"} 3\n"))
    #expect(service.metrics.contains("enlist_key_failures_total{cause=\"incomplete\"} 1\n"))
  }

  @Test func `a key that has the id of another, but not its secret, is rejected`() {
    let other = service.makeKey()
    let key = service.makeKey(hash: other.hash)
    #expect(service.send(key: key.text)?.status == .unauthorized)
    #expect(service.send(key: other.text)?.status == .ok)
  }

  @Test func `an expired or revoked key is rejected, and its id is logged`() {
    let expiring = service.makeKey(expiresIn: 60)
    let revoked = service.makeKey()
    #expect(service.send(key: expiring.text)?.status == .ok)
    #expect(service.send(key: revoked.text)?.status == .ok)
    service.advance(seconds: 60)
    service.revoke(revoked)
    #expect(service.send(key: expiring.text)?.status == .unauthorized)
    #expect(service.send(key: revoked.text)?.status == .unauthorized)
    #expect(service.metrics.contains("enlist_key_failures_total{cause=\"expired\"} 1\n"))
    #expect(service.metrics.contains("enlist_key_failures_total{cause=\"revoked\"} 1\n"))
    let lines = service.log.lines.filter { $0.message == "a key was rejected" }.map(\.metadata)
    #expect(lines == ["cause=expired key=\(expiring.id)", "cause=revoked key=\(revoked.id)"])
  }

  @Test func `a key without the scope gets 403, which names it`() throws {
    let key = service.makeKey(Set(KeyScope.allCases).subtracting([.metrics]))
    let response = try #require(service.send(key: key.text))
    #expect(response.status == .forbidden)
    #expect(response.problem == "insufficient-scope")
    #expect(response.text.contains("The key does not have the scope metrics."))
    #expect(
      response.fields[.wwwAuthenticate]
        == "Bearer realm=\"enlist\", error=\"insufficient_scope\", scope=\"metrics\""
    )
  }

  @Test(
    arguments: [
      ["Origin": "https://example.org"], ["Sec-Fetch-Site": "same-origin"],
      ["Sec-Fetch-Site": "cross-site", "Origin": "null"],
    ] as [KeyValuePairs<String, String>]
  )
  func `a key in a browser gets 403, stays valid, and its page is stored`(
    fields: KeyValuePairs<String, String>
  ) throws {
    let key = service.makeKey()
    let response = try #require(service.send(key: key.text, fields: fields))
    #expect(response.status == .forbidden)
    #expect(response.problem == "key-in-browser")
    let origin = fields.first { $0.key == "Origin" && $0.value != "null" }?.value ?? "unknown"
    #expect(service.stored(key)?.lastOrigin == origin)
    #expect(service.log.lines.contains { $0.metadata == "key=\(key.id) origin=\(origin)" })
    #expect(service.send(key: key.text, fields: ["Sec-Fetch-Site": "none"])?.status == .ok)
    let wrong = try #require(service.send(key: APIKey().text, fields: fields))
    #expect(wrong.problem == "key-in-browser")
  }

  @Test func `after ten wrong keys a client gets 429, and a key that was read still passes`() throws
  {
    let key = service.makeKey()
    #expect(service.send(key: key.text)?.status == .ok)
    for _ in 0..<10 { #expect(service.send(key: APIKey().text)?.status == .unauthorized) }
    service.advance(seconds: 2)
    let response = try #require(service.send(key: APIKey().text))
    #expect(response.status == .tooManyRequests)
    #expect(response.problem == "too-many-failures")
    #expect(response.fields[.retryAfter] == "4")
    #expect(service.send(key: key.text)?.status == .ok)
    #expect(service.send(key: APIKey().text, client: .v4(1))?.status == .unauthorized)
    service.advance(seconds: 4)
    #expect(service.send(key: APIKey().text)?.status == .unauthorized)
    #expect(service.send(key: APIKey().text)?.status == .tooManyRequests)
  }

  @Test func `after ten wrong keys of its client, a key that was never read waits six seconds`()
    throws
  {
    let key = service.makeKey()
    for _ in 0..<10 { #expect(service.send(key: APIKey().text)?.status == .unauthorized) }
    let response = try #require(service.send(key: key.text))
    #expect(response.problem == "too-many-failures")
    #expect(response.fields[.retryAfter] == "6")
    service.advance(seconds: 6)
    #expect(service.send(key: key.text)?.status == .ok)
    #expect(service.send(key: APIKey().text)?.status == .unauthorized)
    #expect(service.send(key: APIKey().text)?.status == .tooManyRequests)
    #expect(service.send(key: key.text)?.status == .ok)
  }

  @Test func `wrong keys are limited for an IPv6 network, and for this machine`() {
    let clients: [ClientAddress] = [.v6(7, 1), .local, .v4(0x7F00_0001)]
    for client in clients {
      for _ in 0..<10 {
        #expect(service.send(key: APIKey().text, client: client)?.status == .unauthorized)
      }
      #expect(service.send(key: APIKey().text, client: client)?.status == .tooManyRequests)
    }
    #expect(service.send(key: APIKey().text, client: .v6(7, 2))?.status == .tooManyRequests)
    #expect(service.send(key: APIKey().text, client: .v6(8, 1))?.status == .unauthorized)
  }

  @Test func `a log gets one line a minute about wrong keys, without a key or an address`() {
    let key = APIKey().text
    for _ in 0..<20 { _ = service.send(key: key) }
    #expect(service.log.lines.count { $0.message == "a key was rejected" } == 1)
    #expect(!service.log.lines.contains { "\($0)".contains(key) || "\($0)".contains("192.0.2") })
  }

  @Test func `no key that was not read is accepted while the store cannot be read`() {
    let key = service.makeKey()
    service.store.base.failure = .locked
    #expect(service.send(key: key.text)?.status == .serviceUnavailable)
  }
}
