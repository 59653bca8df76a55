import HTTPSignals
import HTTPTypes
import Signals
import MailingList
import Security
import TestSupport
import Testing

@testable import Services

/// Tests of keys while the store cannot be read, and of how often keys make it read.
@Suite struct KnownKeysTests {
  private let service = OperatorUnderTest()

  /// How often a key was read.
  private var readings: Int { service.store.count(of: StoredKey?.self) }

  private func fail(_ error: StoreError?) { service.store.base.failure = error }

  @Test func `a key that was read is accepted for an hour while the store cannot be read`() throws {
    let key = service.makeKey()
    #expect(service.send(key: key.text)?.status == .ok)
    fail(.unreachable)
    service.advance(seconds: 3599)
    // That is what the alert about an outage needs.
    let text = try #require(service.send(key: key.text)).text
    #expect(text.contains("enlist_queued_sign_ups 5\n"))
    service.advance(seconds: 1)
    #expect(service.send(key: key.text)?.status == .serviceUnavailable)
    fail(nil)
    #expect(service.send(key: key.text)?.status == .ok)
    fail(.unreachable)
    service.advance(seconds: 3599)
    #expect(service.send(key: key.text)?.status == .ok)
    service.advance(seconds: -3600)
    #expect(service.send(key: key.text)?.status == .serviceUnavailable)
  }

  @Test func `a store that does not respond delays a key that was read by two seconds`() {
    let key = service.makeKey()
    #expect(service.send(key: key.text)?.status == .ok)
    service.store.hold(StoredKey?.self, until: .never)
    #expect(service.send(key: key.text, within: .milliseconds(1999)) == nil)
    #expect(service.send(key: key.text, within: .seconds(2))?.status == .ok)
  }

  @Test func `a key that was read keeps its scopes and its end without the store`() {
    let key = service.makeKey(expiresIn: 60)
    let other = service.makeKey([.read])
    #expect(service.send(key: key.text)?.status == .ok)
    #expect(service.send(key: other.text)?.status == .forbidden)
    fail(.unreachable)
    #expect(service.send(key: key.text)?.status == .ok)
    #expect(service.send(key: other.text)?.status == .forbidden)
    service.advance(seconds: 60)
    #expect(service.send(key: key.text)?.status == .unauthorized)
  }

  @Test func `a revoked key is rejected with the next request, and stays so without the store`() {
    let key = service.makeKey()
    #expect(service.send(key: key.text)?.status == .ok)
    fail(.unreachable)
    service.revoke(key)
    #expect(service.send(key: key.text)?.status == .ok)
    fail(nil)
    #expect(service.send(key: key.text)?.status == .unauthorized)
    fail(.unreachable)
    #expect(service.send(key: key.text)?.status == .unauthorized)
  }

  @Test func `a key that is not in the store any more is forgotten`() {
    let key = service.makeKey()
    #expect(service.send(key: key.text)?.status == .ok)
    service.remove(key)
    #expect(service.send(key: key.text)?.status == .unauthorized)
    fail(.unreachable)
    #expect(service.send(key: key.text)?.status == .serviceUnavailable)
  }

  @Test func `a client that has sent ten wrong keys makes the store read no more than it may send`()
  {
    for _ in 0..<30 { _ = service.send(key: APIKey().text) }
    #expect(readings == 10)
    service.advance(seconds: 6)
    for _ in 0..<30 { _ = service.send(key: APIKey().text) }
    #expect(readings == 11)
    #expect(service.metrics.contains("{cause=\"unknown\"} 60\n"))
  }

  @Test func `a new key is accepted at once, whatever wrong keys others send`() {
    for client in 0..<200 as Range<UInt32> {
      _ = service.send(key: APIKey().text, client: .v4(client))
    }
    #expect(service.send(key: service.makeKey().text, within: .zero)?.status == .ok)
  }

  @Test func `a read that never ends keeps no key from being found by the next one`() {
    let key = service.makeKey()
    service.store.hold(StoredKey?.self, until: .never)
    #expect(service.send(key: key.text, within: .milliseconds(1999)) == nil)
    #expect(service.send(key: key.text, within: .seconds(2))?.status == .serviceUnavailable)
    service.store.hold(StoredKey?.self, until: .empty)
    #expect(service.send(key: key.text, within: .zero)?.status == .ok)
  }

  @Test func `a key that was read as revoked or expired is not read again`() {
    let revoked = service.makeKey()
    service.revoke(revoked)
    let expired = service.makeKey(expiresIn: 0)
    for _ in 0..<20 {
      #expect(service.send(key: revoked.text, client: .v4(1)) != nil)
      #expect(service.send(key: expired.text, client: .v4(2)) != nil)
    }
    #expect(readings == 2)
    #expect(service.metrics.contains("{cause=\"revoked\"} 20\n"))
    #expect(service.metrics.contains("{cause=\"expired\"} 20\n"))
  }

  @Test func `a wrong secret of a known id takes the way of an unknown one`() {
    let key = service.makeKey()
    #expect(service.send(key: key.text)?.status == .ok)
    service.makeKey(as: key, hash: APIKey().hash)
    // The row has another hash: as good as a client that has another secret.
    #expect(service.send(key: key.text)?.status == .unauthorized)
    fail(.unreachable)
    #expect(service.send(key: key.text)?.status == .serviceUnavailable)
    #expect(readings == 3)
  }
}
