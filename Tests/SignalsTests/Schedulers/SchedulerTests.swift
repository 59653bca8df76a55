import Dispatch
import Foundation
import Signals
import Synchronization
import Testing

@Suite struct SchedulerTests {
  @Test func `the immediate scheduler runs work before it returns`() {
    let runs = Counter()
    let work = ImmediateScheduler().schedule { runs.increment() }
    #expect(runs.value == 1)
    #expect(work.isDisposed)
  }

  @Test func `a queue runs work in the order in which it was scheduled`() async {
    let scheduler = QueueScheduler(label: "test")
    let seen = Lock<[Int]>([])
    for number in 0..<100 {
      scheduler.schedule { seen.withLock { $0.append(number) } }
    }
    await reached(scheduler)
    #expect(seen.withLock { $0 } == Array(0..<100))
  }

  @Test func `the main scheduler runs work on the main queue`() async {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let isOnMain = Signal<Void, Never>.just(()).deliver(on: QueueScheduler.main)
      .map { DispatchQueue.getSpecific(key: key) }
    #expect(await isOnMain.first() == true)
    DispatchQueue.main.setSpecific(key: key, value: nil)
  }

  @Test func `a queue never runs two pieces of work at once`() async {
    let scheduler = QueueScheduler(label: "test")
    let inside = Counter()
    let left = Counter()
    let overlaps = Counter()
    inParallel(4) { _ in
      for _ in 0..<100 {
        scheduler.schedule {
          inside.increment()
          if inside.value != left.value + 1 { overlaps.increment() }
          left.increment()
        }
      }
    }
    await reached(scheduler)
    #expect(left.value == 400)
    #expect(overlaps.value == 0)
  }

  @Test func `a queue does not run what was disposed before its turn`() async {
    let scheduler = QueueScheduler(label: "test")
    let runs = Counter()
    let hold = DispatchSemaphore(value: 0)
    scheduler.schedule { _ = hold.wait(timeout: .now() + 10) }
    let work = scheduler.schedule { runs.increment() }
    let later = scheduler.schedule(after: .milliseconds(1)) { runs.increment() }
    work.dispose()
    later.dispose()
    hold.signal()
    await reached(scheduler)
    #expect(runs.value == 0)
    #expect(work.isDisposed)
  }

  @Test func `delayed work does not begin before its time`() async {
    let scheduler = QueueScheduler(label: "test")
    let start = scheduler.now
    let time = await withCheckedContinuation { continuation in
      scheduler.schedule(after: .milliseconds(20)) { continuation.resume(returning: scheduler.now) }
    }
    #expect(time - start >= .milliseconds(20))
  }

  @Test func `delayed work of equal delays runs in the order in which it was scheduled`() async {
    let scheduler = QueueScheduler(label: "test")
    let seen = Lock<[Int]>([])
    let isBusy = BusyCores(2)
    for round in 0..<10 {
      await withCheckedContinuation { continuation in
        for number in 0..<200 {
          scheduler.schedule(after: .microseconds(10)) {
            let count = seen.withLock { seen in
              seen.append(200 * round + number)
              return seen.count
            }
            if count == 200 * (round + 1) { continuation.resume() }
          }
        }
      }
    }
    isBusy.end()
    #expect(seen.withLock { $0 } == Array(0..<2_000))
  }

  @Test func `delayed work of shorter delays runs first`() async {
    let scheduler = QueueScheduler(label: "test")
    let seen = Lock<[Int]>([])
    await withCheckedContinuation { continuation in
      for number in (1...5).reversed() {
        scheduler.schedule(after: .milliseconds(20 * number)) {
          seen.withLock { $0.append(number) }
          if number == 5 { continuation.resume() }
        }
      }
    }
    #expect(seen.withLock { $0 } == [1, 2, 3, 4, 5])
  }

  @Test func `repeating work comes again until it is disposed`() async {
    let scheduler = QueueScheduler(label: "test")
    let ticks = await Signal.interval(.milliseconds(1), on: scheduler).take(3).collect().first()
    #expect(ticks?.count == 3)
    #expect(ticks == ticks?.sorted())
  }

  @Test func `disposed work leaves nothing behind until its time`() {
    weak var released: QueueScheduler?
    do {
      let scheduler = QueueScheduler(label: "test")
      released = scheduler
      for _ in 0..<100 { scheduler.schedule(after: .seconds(600)) {}.dispose() }
    }
    #expect(released == nil)
  }

  @Test func `delayed work runs although the scheduler was released`() async {
    await withCheckedContinuation { continuation in
      QueueScheduler(label: "test").schedule(after: .milliseconds(1)) { continuation.resume() }
    }
  }

  @Test func `disposed work does not change the order of the work that is left`() async {
    let scheduler = QueueScheduler(label: "test")
    let seen = Lock<[Int]>([])
    await withCheckedContinuation { continuation in
      var disposed: [any Disposable] = []
      for number in 0..<1_000 {
        let delay = Duration.milliseconds(100) - .microseconds(number % 7)
        let work = scheduler.schedule(after: delay) {
          let count = seen.withLock { seen in
            seen.append(number)
            return seen.count
          }
          if count == 100 { continuation.resume() }
        }
        if number % 10 != 0 { disposed.append(work) }
      }
      disposed.forEach { $0.dispose() }
    }
    #expect(seen.withLock { Set($0) } == Set((0..<100).map { $0 * 10 }))
  }

  /// Waits until all that is scheduled now has run.
  private func reached(_ scheduler: QueueScheduler) async {
    await withCheckedContinuation { continuation in
      scheduler.schedule { continuation.resume() }
    }
  }
}

/// Threads that do nothing, and keep cores from those that do something.
private final class BusyCores: Sendable {
  private let isOver = Atomic(false)

  init(_ count: Int) {
    for _ in 0..<count {
      Thread { [self] in while !isOver.load(ordering: .relaxed) {} }.start()
    }
  }

  func end() {
    isOver.store(true, ordering: .relaxed)
  }
}
