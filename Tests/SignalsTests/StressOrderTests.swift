import Signals
import Synchronization
import Testing

/// One order for all, whichever threads send, and whatever callbacks do meanwhile.
@Suite struct StressOrderTests {
  private let threads = ThreadTeam(8)

  @Test(arguments: Kind.allCases)
  func `all observers of a subject see one order, also of what is sent from a callback`(kind: Kind)
  {
    let subject = kind.subject()
    let seen = (0..<3).map { _ in Notes<Int>() }
    // Between the others, so that one sees the value before it is answered and one after.
    for (index, notes) in seen.enumerated() {
      if index == 1 {
        subject.signal.subscribe(next: { value in
          if value > 0, value.isMultiple(of: 10) { subject.send(-value) }
        })
      }
      subject.signal.filter { $0 != 0 }.subscribe(next: { notes.add($0) })
    }
    threads.run { thread in
      for number in 1...500 { subject.send(thread * 1_000 + number) }
    }
    subject.complete()
    #expect(seen[0].all == seen[1].all)
    #expect(seen[0].all == seen[2].all)
    #expect(seen[0].all.count == 8 * (500 + 50))
    for thread in 0..<8 {
      let range = thread * 1_000..<(thread + 1) * 1_000
      let sent = seen[0].all.filter { range.contains($0) }
      #expect(sent == (1...500).map { thread * 1_000 + $0 })
    }
  }

  @Test(arguments: Kind.allCases)
  func `an answer comes after what it answers, for every observer`(kind: Kind) {
    let subject = kind.subject()
    let first = Notes<Int>()
    let last = Notes<Int>()
    subject.signal.filter { $0 != 0 }.subscribe(next: { first.add($0) })
    subject.signal.subscribe(next: { value in
      if value > 0 { subject.send(-value) }
    })
    subject.signal.filter { $0 != 0 }.subscribe(next: { last.add($0) })
    threads.run { thread in
      for number in 1...200 { subject.send(thread * 1_000 + number) }
    }
    subject.complete()
    for order in [first.all, last.all] {
      var open: Set<Int> = []
      let isInOrder = order.allSatisfy { value in
        value > 0 ? open.insert(value).inserted : open.remove(-value) != nil
      }
      #expect(isInOrder)
      #expect(open.isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func `nothing overlaps and nothing follows the end, when one thread ends and others send`(
    kind: Kind
  ) {
    for _ in 0..<50 {
      let subject = kind.subject()
      let overlap = Overlap()
      let notes = Notes<Int?>()
      subject.signal.subscribe(
        next: { value in
          overlap.pass(value)
          notes.add(value)
        },
        completed: { notes.add(nil) }
      )
      threads.run { thread in
        for number in 0..<20 { subject.send(number) }
        if thread.isMultiple(of: 2) { subject.complete() }
        subject.send(99)
      }
      #expect(!overlap.wasSeen)
      #expect(notes.all.count { $0 == nil } == 1)
      #expect(notes.all.last == .some(nil))
    }
  }

  @Test func `the observer of a created signal may be used by all threads at once`() {
    let threads = threads
    for _ in 0..<50 {
      let overlap = Overlap()
      let notes = Notes<Int?>()
      let signal = Signal<Int, Never> { observer in
        threads.run { thread in
          for number in 0..<20 { observer.send(number) }
          if thread == 7 { observer.complete() }
        }
        return nil
      }
      signal.subscribe(
        next: { value in
          overlap.pass(value)
          notes.add(value)
        },
        completed: { notes.add(nil) }
      )
      #expect(!overlap.wasSeen)
      #expect(notes.all.count { $0 == nil } == 1)
      #expect(notes.all.last == .some(nil))
    }
  }

  @Test func `the changes of a property are one chain, whichever threads write`() {
    let property = Property(0)
    let changes = Notes<[Int]>()
    property.changes.subscribe(next: { changes.add([$0.old, $0.new]) })
    threads.run { thread in
      for number in 1...500 { property.value = thread * 1_000 + number }
    }
    let chain = changes.all
    #expect(chain.count == 4_000)
    #expect(zip(chain, chain.dropFirst()).allSatisfy { $0[1] == $1[0] })
    #expect(chain.last?[1] == property.value)
  }

  enum Kind: CaseIterable {
    case plain, replay, behavior

    func subject() -> any SubjectProtocol<Int, Never> {
      switch self {
      case .plain: Subject()
      case .replay: ReplaySubject(capacity: 3)
      case .behavior: BehaviorSubject(0)
      }
    }
  }
}
