import SignalsTesting
import Testing

// The queue is not public; operators would show only what goes wrong, not where.
@testable import Signals

/// The queue in which values wait for their partners.
@Suite struct FIFOQueueTests {
  @Test(arguments: [1, 2, 3])
  func `elements leave in the order in which they came`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = FIFOQueue<Int>()
    var expected: ArraySlice<Int> = []
    for number in 0..<20_000 {
      // Long stretches of either, so that the queue is both long and empty at times.
      let grows = (number / 500).isMultiple(of: 2)
      if Int.random(in: 0..<10, using: &generator) < (grows ? 8 : 1) {
        queue.append(number)
        expected.append(number)
      } else {
        #expect(queue.popFirst() == expected.popFirst())
      }
      #expect(queue.count == expected.count)
      #expect(queue.isEmpty == expected.isEmpty)
    }
  }

  @Test func `an element that has left is released while others wait`() {
    weak var first: Counter?
    var queue = FIFOQueue<Counter>()
    do {
      let counter = Counter()
      first = counter
      queue.append(counter)
    }
    queue.append(Counter())
    #expect(first != nil)
    _ = queue.popFirst()
    #expect(first == nil)
    #expect(queue.count == 1)
  }

  @Test func `a queue that is never empty does not grow`() {
    var queue = FIFOQueue<Int>()
    for number in 0..<100_000 {
      queue.append(number)
      if number > 10 { _ = queue.popFirst() }
    }
    #expect(queue.places.count < 1_000)
  }
}
