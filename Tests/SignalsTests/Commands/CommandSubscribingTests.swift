import Dispatch
import Foundation
import Signals
import SignalsTesting
import Testing

/// When, and on which thread, the work of an execution is subscribed.
@Suite struct CommandSubscribingTests {
  @Test func `execute returns after the work was subscribed, also while another thread tells`() {
    let isInside = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let threads = Notes<ObjectIdentifier>()
    let events = Notes<ExecutionEvent<Int, Int, Never>>()
    let command = Command<Int, Int, Never>(allowsConcurrentExecution: true) { input in
      Signal { observer in
        threads.add(ObjectIdentifier(Thread.current))
        observer.send(input)
        observer.complete()
        return nil
      }
    }
    command.executionEvents.subscribe(next: { event in
      events.add(event)
      if case .started(_, 1) = event {
        isInside.signal()
        mayGoOn.wait()
      }
    })
    let other = DispatchGroup()
    DispatchQueue.global().async(group: other) { command.execute(1) }
    isInside.wait()
    command.execute(2)
    #expect(threads.all == [ObjectIdentifier(Thread.current)])
    #expect((try? command.start(3)) != nil)
    #expect(threads.all.count == 2)
    #expect(events.all.count == 1)
    mayGoOn.signal()
    other.wait()
    let ofSecond = events.all.filter { $0.id == events.all[1].id }
    #expect(ofSecond.map(\.name) == ["started 2", "next 2", "completed"])
    #expect(events.all.count == 9)
  }

  @Test func `within a notification the work is subscribed after it, by the same thread`() {
    let recorder = Recorder()
    let thread = ObjectIdentifier(Thread.current)
    let command = Command<Int, Int, Never>(allowsConcurrentExecution: true) { input in
      Signal { observer in
        #expect(ObjectIdentifier(Thread.current) == thread)
        recorder.note("work \(input)")
        observer.complete()
        return nil
      }
    }
    command.executionEvents.subscribe(next: { [weak command] event in
      guard case .started(_, let input) = event else { return }
      recorder.note("started \(input)")
      if input < 3 { command?.execute(input + 1) }
      recorder.note("executed \(input)")
    })
    command.execute(1)
    #expect(
      recorder.words() == [
        "started 1", "executed 1", "started 2", "executed 2", "started 3", "executed 3",
        "work 1", "work 2", "work 3",
      ]
    )
  }

  @Test func `work that executes its own command is subscribed before execute returns`() {
    let recorder = Recorder()
    let place = Lock<Command<Int, Int, Never>?>(nil)
    let command = Command<Int, Int, Never>(allowsConcurrentExecution: true) { input in
      Signal { observer in
        recorder.note("work \(input)")
        if input < 3 { place.withLock { $0 }?.execute(input + 1) }
        recorder.note("executed \(input)")
        observer.complete()
        return nil
      }
    }
    place.withLock { $0 = command }
    command.execute(1)
    place.withLock { $0 = nil }
    #expect(
      recorder.words() == ["work 1", "work 2", "work 3", "executed 3", "executed 2", "executed 1"])
  }
}
