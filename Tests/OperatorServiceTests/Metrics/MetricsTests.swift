import Signals
import Platform
import HTTPSignals
import HTTPTypes
import MailingList
import TestSupport
import SignalsTesting
import Testing

@testable import Services

@Suite struct MetricsTests {
  /// Creates a service whose list has three people.
  private func makeService() throws -> OperatorUnderTest {
    let service = OperatorUnderTest(access: .open)
    try service.signUp("ada", "bob", "eve")
    return service
  }

  @Test func `the text has what is counted, and what is read for it`() throws {
    let service = try makeService()
    let response = try #require(service.send())
    let bytes = try #require(service.store.logBytes)
    #expect(bytes > 0)
    #expect(response.status == .ok)
    #expect(response.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
    #expect(response.fields[.cacheControl] == "no-store")
    for line in [
      "# TYPE enlist_subscribers gauge", "enlist_subscribers{state=\"subscribed\"} 3",
      "enlist_subscribers{state=\"pending\"} 0", "enlist_queued_sign_ups 5",
      "enlist_wal_bytes \(bytes)", "enlist_outbox_messages 0", "enlist_outbox_oldest_seconds 0",
      "enlist_relay_elsewhere 0",
      "enlist_key_failures_total{cause=\"browser\"} 0",
    ] {
      #expect(response.text.contains("\(line)\n"), "\(line)")
    }
  }

  @Test func `subscribers are counted once a minute`() throws {
    let service = try makeService()
    for _ in 0..<3 { #expect(service.send()?.status == .ok) }
    try service.signUp("zoe")
    service.advance(seconds: 59)
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 3\n") == true)
    #expect(service.store.count(of: HeldStore.Counts.self) == 1)
    service.advance(seconds: 1)
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 4\n") == true)
    #expect(service.store.count(of: HeldStore.Counts.self) == 2)
  }

  @Test func `scrapes at the same time count subscribers once`() throws {
    let service = try makeService()
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 3\n") == true)
    service.advance(seconds: 60)
    try service.signUp("zoe")
    let counting = Subject<Never, StoreError>()
    service.store.hold(HeldStore.Counts.self, until: counting.signal)
    #expect(service.send() == nil)
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 3\n") == true)
    counting.complete()
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 4\n") == true)
    #expect(service.store.count(of: HeldStore.Counts.self) == 2)
  }

  @Test func `a scrape waits two seconds for a long count`() throws {
    let service = try makeService()
    let counting = Subject<Never, StoreError>()
    service.store.hold(HeldStore.Counts.self, until: counting.signal)
    #expect(service.send(within: .seconds(2))?.text.contains("enlist_subscribers{") == false)
    counting.complete()
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 3\n") == true)
    service.advance(seconds: 60)
    try service.signUp("zoe")
    let next = Subject<Never, StoreError>()
    service.store.hold(HeldStore.Counts.self, until: next.signal)
    #expect(service.send(within: .milliseconds(1999)) == nil)
    service.advance(seconds: 60)
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 3\n") == true)
    #expect(service.store.count(of: HeldStore.Counts.self) == 2)
    next.fail(.unreachable)
    #expect(service.send()?.text.contains("enlist_subscribers{") == false)
  }

  @Test func `a scrape waits two seconds for the number of mails`() throws {
    let service = try makeService()
    service.store.hold(OutboxBacklog.self, until: .never)
    #expect(service.send(within: .milliseconds(1999)) == nil)
    let text = service.send(within: .seconds(2))?.text
    #expect(text?.contains("{state=\"subscribed\"} 3\n") == true)
    #expect(text?.contains("enlist_outbox_messages") == false)
  }

  @Test func `a count that never ends is repeated after ten minutes`() throws {
    let service = try makeService()
    service.store.hold(HeldStore.Counts.self, until: .never)
    #expect(service.send(within: .seconds(2))?.text.contains("enlist_subscribers{") == false)
    service.scheduler.advance(by: .seconds(600))
    service.store.hold(HeldStore.Counts.self, until: .empty)
    service.advance(seconds: 60)
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 3\n") == true)
  }

  @Test func `a failed count is repeated after a minute`() throws {
    let service = try makeService()
    service.store.base.failure = .locked
    #expect(service.send()?.text.contains("enlist_subscribers") == false)
    service.store.base.failure = nil
    #expect(service.send()?.text.contains("enlist_subscribers") == false)
    service.advance(seconds: 60)
    #expect(service.send()?.text.contains("{state=\"subscribed\"} 3\n") == true)
  }

  @Test func `the mails that wait are counted once a second`() throws {
    let service = try makeService()
    #expect(service.send()?.text.contains("enlist_outbox_messages 0\n") == true)
    service.store.hold(OutboxBacklog.self, until: .fail(.locked))
    #expect(service.send()?.text.contains("enlist_outbox_messages 0\n") == true)
    service.advance(seconds: 1)
    #expect(service.send()?.text.contains("enlist_outbox_messages") == false)
  }

  @Test func `what cannot be read is missing, and the rest is not`() throws {
    let service = try makeService()
    service.store.base.failure = .closed
    let text = try #require(service.send()).text
    #expect(!text.contains("enlist_subscribers"))
    #expect(text.contains("enlist_queued_sign_ups 5\n"))
  }

  @Test func `the definitions are unique, and say something`() {
    let definitions = MetricTable.definitions
    #expect(Set(definitions.map(\.name)).count == definitions.count)
    for definition in definitions {
      #expect(definition.help.hasSuffix("."), "\(definition.name)")
      switch definition.kind {
      case .counter: #expect(definition.name.hasSuffix("_total"))
      case .gauge: #expect(!definition.name.hasSuffix("_total"))
      case .histogram(let bounds): #expect(bounds == bounds.sorted() && !bounds.isEmpty)
      }
    }
  }
}
