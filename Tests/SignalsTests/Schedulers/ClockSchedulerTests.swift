import Dispatch
import Signals
import Testing

/// Schedulers by a dot, of which that of a clock has a timetable of its own.
@Suite struct ClockSchedulerTests {
  @Test func `work on a clock runs in the order of deadlines and, for equal ones, of scheduling`()
    async
  {
    let scheduler = ClockScheduler(ContinuousClock())
    let seen = Lock<[Int]>([])
    await withCheckedContinuation { continuation in
      for number in 0..<30 {
        let delay = Duration.milliseconds(60 - 20 * (number / 10))
        let disposed = scheduler.schedule(after: delay) { seen.withLock { $0.append(-1) } }
        scheduler.schedule(after: delay) {
          seen.withLock { $0.append(number) }
          if number == 9 { continuation.resume() }
        }
        disposed.dispose()
      }
    }
    #expect(seen.withLock { $0 } == Array(20..<30) + Array(10..<20) + Array(0..<10))
  }

  @Test func `work on a clock does not begin before its time, also when its scheduler is released`()
    async
  {
    let start = ContinuousClock.now
    let end = await withCheckedContinuation { continuation in
      ClockScheduler(ContinuousClock()).schedule(after: .milliseconds(20)) {
        continuation.resume(returning: ContinuousClock.now)
      }
    }
    #expect(end - start >= .milliseconds(20))
  }

  @Test func `work repeats on a clock until it is disposed`() async {
    let ticks = await Signal.interval(.milliseconds(1), on: .clock(ContinuousClock())).take(3)
      .collect().first()
    #expect(ticks?.count == 3)
    #expect(ticks == ticks?.sorted())
  }

  @Test func `disposed work on a clock leaves nothing behind until its time`() {
    weak var released: ClockScheduler<ContinuousClock>?
    do {
      let scheduler = ClockScheduler(ContinuousClock())
      released = scheduler
      for _ in 0..<100 { scheduler.schedule(after: .seconds(600)) {}.dispose() }
    }
    #expect(released == nil)
  }

  @Test func `work on an existing queue runs there, serially even if the queue is concurrent`()
    async
  {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "test", attributes: .concurrent)
    queue.setSpecific(key: key, value: true)
    let isThere = Signal<Int, Never>(0..<100).deliver(on: .queue(queue))
      .map { _ in DispatchQueue.getSpecific(key: key) }
    #expect(await isThere.collect().first() == Array(repeating: true, count: 100))
    let order = Signal<Int, Never>(0..<100).deliver(on: .queue(queue))
    #expect(await order.collect().first() == Array(0..<100))
  }

  @Test func `a dot names the main actor, the background and the thread that schedules`() async {
    #expect(await Signal<Int, Never>.just(1).deliver(on: .background).first() == 1)
    #expect(await Signal<Int, Never>.just(1).deliver(on: .main).first() == 1)
    #expect(values(of: Signal<Int, Never>.just(1).deliver(on: .immediate)) == [1])
  }
}
