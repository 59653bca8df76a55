import HTTPSignals
import HTTPTypes
import Signals
import MailingList
import Security
import SignalsTesting
import TestSupport
import Testing

@testable import Services

/// Tests of keys while the store cannot be read, and of how often keys make it read.
@Suite struct KnownKeysTests {
  private let service = OperatorUnderTest()

  /// How often one key was read.
  private var readings: Int { service.store.count(of: StoredKey?.self) }
  /// How often all keys were read.
  private var searches: Int { service.store.count(of: [StoredKey].self) }

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

  @Test func `wrong keys read the store once a second, however many there are`() {
    for client in 0..<200 as Range<UInt32> {
      _ = service.send(key: APIKey().text, client: .v4(client), within: .zero)
    }
    #expect(searches == 1)
    #expect(service.metrics.contains("{cause=\"unknown\"} 1\n"))
    service.scheduler.advance(by: .milliseconds(999))
    #expect(searches == 1)
    service.scheduler.advance(by: .milliseconds(1))
    #expect(searches == 2)
    #expect(service.metrics.contains("{cause=\"unknown\"} 200\n"))
    service.scheduler.advance(by: .seconds(60))
    #expect(searches == 2)
    #expect(readings == 0)
  }

  @Test func `a failed read does not make wrong keys read more often`() {
    fail(.unreachable)
    for _ in 0..<50 { _ = service.send(key: APIKey().text, within: .zero) }
    service.scheduler.advance(by: .seconds(1))
    #expect(searches == 2)
  }

  @Test func `a new key is accepted within a second, whatever wrong keys others send`() {
    for _ in 0..<200 { _ = service.send(key: APIKey().text, within: .zero) }
    let key = service.makeKey()
    #expect(service.send(key: key.text, within: .seconds(1))?.status == .ok)
    #expect(searches == 2)
  }

  @Test func `a read of all keys that never ends keeps no key from being found by the next one`() {
    let key = service.makeKey()
    service.store.hold([StoredKey].self, until: .never)
    #expect(service.send(key: key.text, within: .seconds(60))?.status == .serviceUnavailable)
    service.store.hold([StoredKey].self, until: .empty)
    #expect(service.send(key: key.text, within: .seconds(1))?.status == .ok)
  }

  @Test func `a key that is created during a read is found by the next one`() {
    let read = Subject<Never, StoreError>()
    service.store.hold([StoredKey].self, until: read.signal)
    #expect(service.send(key: APIKey().text) == nil)
    let key = service.makeKey()
    #expect(service.send(key: key.text) == nil)
    read.complete()
    #expect(service.metrics.contains("{cause=\"unknown\"} 1\n"))
    service.scheduler.advance(by: .seconds(1))
    #expect(service.useCount == 1)
    #expect(service.stored(key)?.lastUsedAt == service.now)
    #expect(service.metrics.contains("{cause=\"unknown\"} 1\n"))
  }

  @Test func `a key that was read as revoked or expired is not read again`() {
    let revoked = service.makeKey()
    service.revoke(revoked)
    let expired = service.makeKey(expiresIn: 0)
    for _ in 0..<20 {
      #expect(service.send(key: revoked.text, client: .v4(1)) != nil)
      #expect(service.send(key: expired.text, client: .v4(2)) != nil)
    }
    #expect(readings == 0)
    #expect(searches == 1)
    #expect(service.metrics.contains("{cause=\"revoked\"} 20\n"))
    #expect(service.metrics.contains("{cause=\"expired\"} 20\n"))
  }

  @Test func `a wrong secret of a known id takes the way of an unknown one`() {
    let key = service.makeKey()
    #expect(service.send(key: key.text)?.status == .ok)
    service.scheduler.advance(by: .seconds(1))
    service.makeKey(as: key, hash: APIKey().hash)
    // The row has another hash: as good as a client that has another secret.
    #expect(service.send(key: key.text)?.status == .unauthorized)
    fail(.unreachable)
    #expect(service.send(key: key.text)?.status == .serviceUnavailable)
    #expect(searches == 2)
  }
}
