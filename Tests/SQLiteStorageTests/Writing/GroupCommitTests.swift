import EmailAddresses
import Foundation
import MailingList
import Signals
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct GroupCommitTests {
  @Test func `stores sign-ups in the order of their arrival`() async throws {
    try await withStore(.init(maximumBatch: 7)) { store, _ in
      let signUps = try (0..<100).map { try SignUp.sample("person\(99 - $0)@example.org") }
      _ = await store.outcomes(ofBatch: signUps)
      let stored = try await store.subscribers(after: nil, limit: 100).values().flatMap(\.self)
      #expect(stored.map(\.address) == signUps.map(\.address.normalized))
    }
  }

  @Test func `the writer's thread has a recognizable name`() async throws {
    try await withStore { store, _ in
      let name = try store.withConnection { _ in
        try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      }
      #expect(name == "store-writer\n")
    }
  }

  @Test func `sends the outcomes of a batch in one scheduled action`() async throws {
    let scheduler = CountingScheduler()
    try await withStore(.init(deliverOn: scheduler)) { store, _ in
      let signUps = try (0..<100).map { try SignUp.sample("person\($0)@example.org") }
      let outcomes = await store.outcomes(ofBatch: signUps)
      #expect(outcomes.allSatisfy { $0 == .success([]) })
      #expect((1...2).contains(scheduler.count))
    }
  }

  @Test func `rejects sign-ups beyond the queue limit and stores the others`() async throws {
    try await withStore(.init(maximumBatch: 4, maximumQueued: 10)) { store, _ in
      let signUps = try (0..<30).map { try SignUp.sample("person\($0)@example.org") }
      let outcomes = await store.outcomes(ofBatch: signUps)
      let rejected = outcomes.count { $0 == .failure(.overloaded) }
      // The writer may have removed a batch of up to four sign-ups from the queue.
      #expect((16...20).contains(rejected))
      #expect(try store.count("subscribers") == 30 - rejected)
    }
  }

  @Test func `closing the store first stores all accepted sign-ups`() async throws {
    try await withFolder { folder in
      let store = try SQLiteSubscriberStore(path: folder.database)
      let signUps = try (0..<100).map { try SignUp.sample("person\($0)@example.org") }
      let (accepted, closed, late) = try store.withConnection { _ in
        let accepted = signUps.map { store.add($0).replay() }
        return (accepted, store.close().replay(), store.add(try .sample()).replay())
      }
      #expect(await late.collected() == .failure(.closed))
      await closed.ended()
      for outcome in accepted { #expect(await outcome.collected() == .success([])) }
      #expect(try folder.files == ["list.sqlite", "list.sqlite-lock"])
      let reader = try SQLiteSubscriberReader(path: folder.database)
      let stored = try await reader.subscribers(after: nil, limit: 1000).values().flatMap(\.self)
      #expect(stored.count == 100)
    }
  }

  @Test func `a released store closes automatically`() async throws {
    try await withFolder { folder in
      let signUp = try SignUp.sample()
      let gone = Subject<Never, Never>()
      let ended = gone.signal.replay()
      do {
        let scheduler = CountingScheduler(whenGone: { gone.complete() })
        let store = try SQLiteSubscriberStore(
          path: folder.database, configuration: .init(deliverOn: scheduler))
        store.withConnection { _ in _ = store.add(signUp).subscribe() }
      }
      await ended.ended()
      #expect(try folder.files == ["list.sqlite", "list.sqlite-lock"])
      let reader = try SQLiteSubscriberReader(path: folder.database)
      let stored = try await reader.subscribers(after: nil, limit: 10).values().flatMap(\.self)
      #expect(stored.map(\.address) == [signUp.address.normalized])
    }
  }

  @Test func `disposing a subscription does not cancel an accepted sign-up`() async throws {
    try await withStore { store, _ in
      let signUp = try SignUp.sample()
      store.withConnection { _ in store.add(signUp).subscribe().dispose() }
      try await _ = store.add(try .sample("later@example.org")).values()
      #expect(try await store.hasStored(signUp.id).values() == [true])
    }
  }

  @Test func `a probe reuses the result of a transaction less than a second old`()
    async throws
  {
    let scheduler = CountingScheduler()
    try await withStore(.init(busyTimeout: .zero, deliverOn: scheduler)) { store, folder in
      try await _ = store.add(try .sample()).values()
      let other = try OtherProcess(holding: folder.database)
      scheduler.now = .milliseconds(999)
      #expect(await store.probe().collected() == .success([]))
      scheduler.now = .milliseconds(1000)
      #expect(await store.probe().collected() == .failure(.locked))
      try other.release()
      #expect(await store.probe().collected() == .failure(.locked))
      scheduler.now = .milliseconds(2000)
      #expect(await store.probe().collected() == .success([]))
    }
  }

  @Test func `concurrent probes share one transaction`() async throws {
    let scheduler = CountingScheduler()
    try await withStore(.init(deliverOn: scheduler)) { store, _ in
      let probes = store.withConnection { _ in (0..<50).map { _ in store.probe().replay() } }
      for probe in probes { #expect(await probe.collected() == .success([])) }
      #expect(scheduler.count == 1)
    }
  }
}
