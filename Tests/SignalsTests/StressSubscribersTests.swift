import Foundation
import Signals
import Synchronization
import Testing

/// Eight threads that send, and eight that subscribe and dispose.
///
/// They do so for two seconds, or as many as `SIGNALS_STRESS_SECONDS` says in the environment. A run
/// of a minute or more also asserts how long subscribing and disposing take.
@Suite(.serialized) struct StressSubscribersTests {
  private let seconds =
    ProcessInfo.processInfo.environment["SIGNALS_STRESS_SECONDS"].flatMap(Double.init) ?? 2

  @Test
  func `subscribers that come and go under load lose nothing, see one order and do not wait`() {
    let load = Load()
    let residentBefore = processMemory("VmRSS") ?? 0
    let end = ContinuousClock.now + .seconds(seconds)
    ThreadTeam(16).run { thread in
      if thread < 8 {
        load.send(as: thread, until: end)
      } else {
        load.visit(as: thread, until: end)
      }
    }
    load.subject.complete()
    let (subscribe, dispose) = load.latencies
    print("subscribe: \(subscribe.summary)")
    print("dispose: \(dispose.summary)")
    print(
      "memory: \(residentBefore) KiB before, at most \(processMemory("VmHWM") ?? 0) KiB;",
      "\(load.most.value) values and", "\(load.mostVisitors.value) subscribers at the same time")

    // One order for all, and nothing lost between subscribing and disposing.
    #expect(load.faults.value == 0)
    #expect(load.lostCount.value == 0)
    #expect(load.ledger.deliveredCounts == load.sentCounts.map(\.value))

    // Bounded memory: what is queued, and what each sender holds. A subscriber gives way and does not
    // wait, so its bound is less strict.
    #expect(load.values.living == 0)
    #expect(load.visitors.living == 0)
    #expect(load.most.value <= 16_384 + 64)
    #expect(load.mostVisitors.value <= 262_144)

    // Bounded time: of a core in any case, of the clock where the run is long enough to say.
    #expect(load.mostThreadTime.value < 1_000)
    if seconds >= 60 {
      #expect(subscribe.percentile(0.999) <= .milliseconds(50))
      #expect(dispose.percentile(0.999) <= .milliseconds(50))
    }
  }
}

/// A subject, and what its senders and subscribers have seen.
private final class Load: Sendable {
  let subject = Subject<Item, Never>()
  let ledger = Ledger()
  let sentCounts = (0..<16).map { _ in SharedCount() }
  /// Values in a wrong order, missing or delivered twice.
  let faults = Counter()
  /// Values that a subscriber sent itself and did not get.
  let lostCount = Counter()

  let values = Census()
  let visitors = Census()
  let most = Maximum()
  let mostVisitors = Maximum()
  /// The longest time that a core spent on subscribing and disposing, in milliseconds.
  let mostThreadTime = Maximum()
  private let taken = Lock((subscribe: Latencies(), dispose: Latencies()))

  init() {
    // The first observer of all: it numbers each value before the others see it.
    subject.signal.subscribe(next: { [ledger, faults, values, most] item in
      if !ledger.record(item) { faults.increment() }
      most.record(values.living)
    })
  }

  var latencies: (subscribe: Latencies, dispose: Latencies) { taken.withLock { $0 } }

  func send(as thread: Int, until end: ContinuousClock.Instant) {
    while ContinuousClock.now < end { subject.send(item(from: thread)) }
  }

  func visit(as thread: Int, until end: ContinuousClock.Instant) {
    var subscribe = Latencies()
    var dispose = Latencies()
    var round = 0
    while ContinuousClock.now < end {
      round += 1
      // Most go at once; some stay until they get a value that they send after subscribing.
      let awaited = round.isMultiple(of: 16) ? item(from: thread) : nil
      let visitor = Visitor(visitors.citizen(), awaited: awaited)
      let cpuStart = threadTime()
      let start = ContinuousClock.now
      let subscription = subject.signal.subscribe(next: { [faults] item in
        if !visitor.record(item) { faults.increment() }
      })
      subscribe.add(ContinuousClock.now - start)
      var cpu = threadTime() - cpuStart
      if let awaited {
        subject.send(awaited)
        if !visitor.waitForAwaited() { lostCount.increment() }
      }
      let cpuMiddle = threadTime()
      let middle = ContinuousClock.now
      subscription.dispose()
      dispose.add(ContinuousClock.now - middle)
      cpu += threadTime() - cpuMiddle
      mostThreadTime.record(Int(cpu / .milliseconds(1)))
      mostVisitors.record(visitors.living)
    }
    taken.withLock { [subscribe, dispose] taken in
      taken.subscribe.add(subscribe)
      taken.dispose.add(dispose)
    }
  }

  private func item(from thread: Int) -> Item {
    Item(sender: thread, number: sentCounts[thread].next(), values.citizen())
  }
}

/// A value with its origin, and its position in the order of delivery.
private final class Item: Sendable {
  let sender: Int
  let number: Int
  // nonisolated(unsafe) because it is touched by observers of one subject only, one at a time.
  nonisolated(unsafe) var position = 0
  private let citizen: Census.Citizen

  init(sender: Int, number: Int, _ citizen: Census.Citizen) {
    self.sender = sender
    self.number = number
    self.citizen = citizen
  }
}

/// The first observer: numbers the values, and checks the order of each sender.
private final class Ledger: Sendable {
  // The next two: nonisolated(unsafe) because events of one subscription do not overlap.
  private nonisolated(unsafe) var position = 0
  private(set) nonisolated(unsafe) var deliveredCounts = [Int](repeating: 0, count: 16)

  /// Numbers a value.
  ///
  /// - Returns: Whether it is the next one of its sender.
  func record(_ item: Item) -> Bool {
    position += 1
    item.position = position
    defer { deliveredCounts[item.sender] += 1 }
    return item.number == deliveredCounts[item.sender]
  }
}

/// A subscriber that does not stay: checks that it gets value after value.
private final class Visitor: Sendable {
  private let citizen: Census.Citizen
  private let awaited: Item?
  private let hasAwaited = Atomic(false)
  // nonisolated(unsafe) because events of one subscription do not overlap.
  private nonisolated(unsafe) var last = 0

  init(_ citizen: Census.Citizen, awaited: Item?) {
    self.citizen = citizen
    self.awaited = awaited
  }

  /// Takes a value.
  ///
  /// - Returns: Whether it follows the one before.
  func record(_ item: Item) -> Bool {
    defer { last = item.position }
    if item === awaited { hasAwaited.store(true, ordering: .releasing) }
    return last == 0 || item.position == last + 1
  }

  /// Waits for the value that this subscriber sent, half a minute at most.
  ///
  /// - Returns: Whether it came.
  func waitForAwaited() -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while !hasAwaited.load(ordering: .acquiring) {
      if ContinuousClock.now > end { return false }
      sched_yield()
    }
    return true
  }
}

/// The largest of the recorded numbers.
private final class Maximum: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .relaxed) }

  func record(_ candidate: Int) {
    number.max(candidate, ordering: .relaxed)
  }
}

/// A number that threads share; an array cannot hold an `Atomic`.
private final class SharedCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  /// Counts one more, and returns the number before.
  func next() -> Int {
    count.wrappingAdd(1, ordering: .relaxed).oldValue
  }
}
