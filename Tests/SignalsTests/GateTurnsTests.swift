import Dispatch
import Foundation
@testable import Signals
import Synchronization
import Testing

// Only the gate knows that a sender waits.

/// What a thread does for others, and for how long: it lends a hand, and is let go again.
@Suite(.serialized) struct GateTurnsTests {
  /// A subject whose callbacks take a while, and threads that send to it until they are stopped.
  private final class Torrent: Sendable {
    let subject = Subject<Int, Never>()
    let delivered = Atomic(0)
    private let isOver = Atomic(false)
    private let senders = DispatchGroup()

    init(senders count: Int, callback: Duration = .microseconds(2)) {
      subject.signal.subscribe(next: { [self] _ in
        delivered.wrappingAdd(1, ordering: .relaxed)
        spin(for: callback)
      })
      for _ in 0..<count {
        senders.enter()
        let thread = Thread { [self] in
          while !isOver.load(ordering: .relaxed) { subject.send(1) }
          senders.leave()
        }
        thread.start()
      }
      while delivered.load(ordering: .relaxed) < 1_000 { sched_yield() }
    }

    func stop() {
      isOver.store(true, ordering: .relaxed)
      senders.wait()
      subject.complete()
    }
  }

  @Test(arguments: [1, 4])
  func `subscribe and dispose return while other threads send without a pause`(senders: Int) {
    let torrent = Torrent(senders: senders)
    var longest = Duration.zero
    for _ in 0..<2_000 {
      let start = threadTime()
      torrent.subject.signal.subscribe().dispose()
      longest = max(longest, threadTime() - start)
    }
    torrent.stop()
    // A millisecond for others, or what is queued when no other thread is run meanwhile.
    #expect(longest < .milliseconds(500))
  }

  /// The visit begins with a callback, in which another thread fills the queue and waits for room.
  ///
  /// The limit of a millisecond begins with the end of the first operation of another thread, so a
  /// second one that takes longer is the last.
  @Test(arguments: ["send", "subscribe"], [(Duration.zero, 1_024), (.milliseconds(2), 2)])
  func `a visiting thread performs at most 1,024 operations of others or for 1 ms, and its own`(
    visit: String, _ limit: (duration: Duration, operationCount: Int)
  ) {
    let subject = ReplaySubject<Int, Never>(capacity: 1)
    let visitor = Atomic<UInt>(0)
    let performed = Atomic(0)
    let isInside = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let callback: @Sendable (Int) -> Void = { value in
      guard value == 0 else { return }
      for number in 1...100 { subject.send(number) }
      isInside.signal()
      mayGoOn.wait()
    }
    if visit == "subscribe" { subject.send(0) } else { subject.signal.subscribe(next: callback) }
    subject.signal.subscribe(next: { value in
      guard value != 0, CurrentThread.id == visitor.load(ordering: .relaxed) else { return }
      performed.wrappingAdd(1, ordering: .relaxed)
      spin(for: limit.duration)
    })
    let visiting = DispatchGroup()
    Thread {
      visitor.store(CurrentThread.id, ordering: .relaxed)
      if visit == "subscribe" { subject.signal.subscribe(next: callback) } else { subject.send(0) }
      visiting.leave()
    }
    .startAfterEntering(visiting)
    isInside.wait()
    let sending = DispatchGroup()
    Thread {
      for number in 1...20_000 { subject.send(number) }
      sending.leave()
    }
    .startAfterEntering(sending)
    while subject.core.gate.waiterCount.load(ordering: .relaxed) == 0 { sched_yield() }
    // It checks once more for room before it waits.
    #expect(sending.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    mayGoOn.signal()
    visiting.wait()
    // 100 of its own, and at least one other: a millisecond may pass before there are more.
    #expect((101...100 + limit.operationCount).contains(performed.load(ordering: .relaxed)))
    sending.wait()
    subject.complete()
  }

  @Test func `a thread that sends is let go again, however fast others send`() {
    let torrent = Torrent(senders: 3)
    for _ in 0..<1_000 { torrent.subject.send(2) }
    torrent.stop()
  }

  @Test func `disposal takes effect at once, whoever is inside`() {
    let torrent = Torrent(senders: 2)
    for _ in 0..<200 {
      let isDisposed = Atomic2(false)
      let late = Counter()
      let subscription = torrent.subject.signal.subscribe(next: { _ in
        if isDisposed.value { late.increment() }
      })
      sched_yield()
      subscription.dispose()
      #expect(subscription.isDisposed)
      // One callback may be under way on another thread.
      spin(for: .microseconds(20))
      isDisposed.value = true
      spin(for: .microseconds(20))
      #expect(late.value == 0)
    }
    torrent.stop()
  }

  @Test func `a sender waits while more than 16,384 of its values are queued`() {
    let subject = Subject<Int, Never>()
    let mayGoOn = DispatchSemaphore(value: 0)
    let isInside = DispatchSemaphore(value: 0)
    let sent = Atomic(0)
    let seen = Notes<Int>()
    subject.signal.subscribe(next: { value in
      if value == -1 {
        isInside.signal()
        mayGoOn.wait()
      } else {
        seen.add(value)
      }
    })
    let owner = DispatchGroup()
    DispatchQueue.global().async(group: owner) { subject.send(-1) }
    isInside.wait()
    let sender = DispatchGroup()
    Thread {
      for number in 0..<50_000 {
        subject.send(number)
        sent.store(number + 1, ordering: .relaxed)
      }
      sender.leave()
    }
    .startAfterEntering(sender)
    while sent.load(ordering: .relaxed) < 16_385 { sched_yield() }
    #expect(sender.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    #expect(sent.load(ordering: .relaxed) == 16_385)
    // Neither subscribing nor disposing waits.
    subject.signal.subscribe().dispose()
    mayGoOn.signal()
    sender.wait()
    owner.wait()
    subject.complete()
    #expect(seen.all == Array(0..<50_000))
  }

  @Test func `a callback may send to its own subject as much as it likes`() {
    let subject = Subject<Int, Never>()
    let seen = Counter()
    subject.signal.subscribe(next: { value in
      seen.increment()
      if value == 0 { for number in 1...50_000 { subject.send(number) } }
    })
    subject.send(0)
    #expect(seen.value == 50_001)
    // Its observer keeps the subject.
    subject.complete()
  }

  @Test func `callbacks of two subjects that send to each other do not wait for each other`() {
    let subjects = [Subject<Int, Never>(), Subject<Int, Never>()]
    let areInside = DispatchGroup()
    let seen = [Counter(), Counter()]
    for index in 0..<2 {
      areInside.enter()
      subjects[index].signal.subscribe(next: { value in
        seen[index].increment()
        guard value < 0 else { return }
        areInside.leave()
        areInside.wait()
        for number in 0..<40_000 { subjects[1 - index].send(number) }
      })
    }
    inParallel(2) { subjects[$0].send(-1) }
    for subject in subjects { subject.complete() }
    #expect(seen.map(\.value) == [40_001, 40_001])
  }

  @Test func `a sender that waits goes on when the subject ends`() {
    let held = Lock<Observer<Int, Never>?>(nil)
    let signal = Signal<Int, Never> { observer in
      held.withLock { $0 = observer }
      return nil
    }
    let mayGoOn = DispatchSemaphore(value: 0)
    let isInside = DispatchSemaphore(value: 0)
    signal.subscribe(next: { value in
      guard value == -1 else { return }
      isInside.signal()
      mayGoOn.wait()
    })
    let observer = held.withLock { $0 }
    let owner = DispatchGroup()
    DispatchQueue.global().async(group: owner) {
      observer?.send(-1)
    }
    isInside.wait()
    observer?.complete()
    let sender = DispatchGroup()
    let sent = Atomic(0)
    Thread {
      for number in 0..<20_000 {
        observer?.send(number)
        sent.store(number, ordering: .relaxed)
      }
      sender.leave()
    }
    .startAfterEntering(sender)
    while sent.load(ordering: .relaxed) < 16_000 { sched_yield() }
    mayGoOn.signal()
    sender.wait()
    owner.wait()
  }
}

/// Keeps a core busy.
private func spin(for duration: Duration) {
  let end = ContinuousClock.now + duration
  while ContinuousClock.now < end {}
}

/// The time that a core has spent on the calling thread; other load on the machine does not count.
func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}

/// A truth value that threads share.
private final class Atomic2: Sendable {
  private let flag: Atomic<Bool>

  init(_ flag: Bool) {
    self.flag = Atomic(flag)
  }

  var value: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }
}

extension Thread {
  fileprivate func startAfterEntering(_ group: DispatchGroup) {
    group.enter()
    start()
  }
}
