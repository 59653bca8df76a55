import Dispatch
import Signals
import SignalsTesting
import Testing

/// Subscriptions and scheduled work on the main actor.
@Suite struct MainActorTests {
  /// What a screen shows.
  @MainActor final class Screen {
    var lines: [String] = []
  }

  @Test
  @MainActor func `closures of the main actor receive what other threads send, in its order`()
    async throws
  {
    let screen = Screen()
    let source = Subject<Int, Trouble>()
    let ended = ReplaySubject<Void, Never>()
    source.signal.observe(
      on: MainActor.self,
      next: { screen.lines.append("\($0)") },
      failed: {
        screen.lines.append("failed \($0.number)")
        ended.send()
      }
    )
    await Task.detached {
      for value in 1...100 { source.send(value) }
      source.fail(Trouble(number: 7))
    }.value
    _ = await ended.signal.first()
    #expect(screen.lines == (1...100).map { "\($0)" } + ["failed 7"])
  }

  @Test
  @MainActor func `what is sent on the main actor while nothing waits arrives at once`() async {
    // Other tests share the scheduler; in some turn nothing of them waits.
    while true {
      let screen = Screen()
      let source = Subject<Int, Never>()
      let subscription = source.signal.observe(
        on: MainActor.self, next: { screen.lines.append("\($0)") },
        completed: { screen.lines.append("completed") })
      source.send(1)
      source.complete()
      if screen.lines == ["1", "completed"], subscription.isDisposed { return }
      await Task.yield()
    }
  }

  @Test
  @MainActor func `nothing arrives after disposal on the main actor`() async {
    let screen = Screen()
    let source = Subject<Int, Never>()
    let subscription = source.signal.observe(
      on: MainActor.self, next: { screen.lines.append("\($0)") })
    inParallel(2) { _ in source.send(1) }
    subscription.dispose()
    let before = screen.lines
    // Work runs in the order in which it was scheduled, so nothing else is left after this.
    await withCheckedContinuation { continuation in
      MainActorScheduler().schedule { continuation.resume() }
    }
    #expect(screen.lines == before)
  }

  @Test
  func `work runs on the main actor, later too, in the order in which it was scheduled`() async {
    let scheduler = MainActorScheduler()
    let seen = Lock<[Int]>([])
    let last: Int? = await Signal<Int, Never> { observer in
      for number in 1...50 {
        scheduler.schedule {
          MainActor.assumeIsolated { seen.withLock { $0.append(number) } }
        }
      }
      scheduler.schedule(after: .milliseconds(1)) {
        MainActor.assumeIsolated { observer.send(51) }
        observer.complete()
      }
    }.last()
    #expect(last == 51)
    #expect(seen.withLock { $0 } == Array(1...50))
  }

  @Test
  @MainActor func `work that is scheduled by work runs after it`() async {
    let scheduler = MainActorScheduler()
    let recorder = Recorder()
    let inner = ReplaySubject<Void, Never>()
    scheduler.schedule {
      scheduler.schedule {
        recorder.note("inner")
        inner.send()
      }
      recorder.note("outer")
    }
    _ = await inner.signal.first()
    #expect(recorder.lines == ["0.0 outer", "0.0 inner"])
  }

  @Test
  func `work that is disposed before its turn does not run`() async {
    let scheduler = MainActorScheduler()
    let count = Counter()
    await MainActor.run {
      // Scheduled from within work, so it has to wait.
      _ = scheduler.schedule { scheduler.schedule { count.increment() }.dispose() }
    }
    await withCheckedContinuation { continuation in
      scheduler.schedule { continuation.resume() }
    }
    #expect(count.value == 0)
  }
}
