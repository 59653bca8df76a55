import Signals
import SignalsTesting
import Testing

@Suite struct PropertyModifyTests {
  @Test func `changes the value, sends it, and returns what the closure returns`() {
    let property = Property([1])
    let recorder = Recorder()
    recorder.record(property.signal, as: "S")
    let count = property.modify { value in
      value.append(2)
      return value.count
    }
    #expect(count == 2)
    #expect(property.value == [1, 2])
    #expect(recorder.lines == ["0.0 S [1]", "0.0 S [1, 2]"])
  }

  @Test func `leaves the value when the closure throws`() {
    let property = Property(1)
    let recorder = Recorder()
    recorder.record(property.signal, as: "S")
    #expect(throws: Trouble()) {
      try property.modify { value throws(Trouble) in
        value = 2
        throw Trouble()
      }
    }
    #expect(property.value == 1)
    #expect(recorder.lines == ["0.0 S 1"])
  }

  @Test func `loses no change of many threads, and sends each one in order`() {
    let property = Property(0)
    let seen = Lock<[Int]>([])
    let subscription = property.signal.subscribe(next: { value in
      seen.withLock { $0.append(value) }
    })
    inParallel(4) { _ in
      for _ in 0..<1_000 { property.modify { $0 += 1 } }
    }
    #expect(property.value == 4_000)
    #expect(seen.withLock { $0 } == Array(0...4_000))
    subscription.dispose()
  }

  @Test func `may be used within the closure and within a callback`() {
    let property = Property(0)
    let other = Property(0)
    property.modify { value in
      value += 1
      other.modify { $0 += property.value + 10 }
    }
    #expect(other.value == 10)
    property.signal.take(1).subscribe(next: { _ in property.modify { $0 += 1 } })
    #expect(property.value == 2)
  }
}
