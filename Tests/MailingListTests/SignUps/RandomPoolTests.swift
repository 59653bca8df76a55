import Foundation
import Signals
import Testing

import MailingList

@Suite struct RandomPoolTests {
  @Test func `concurrent threads never get the same number`() {
    let pool = RandomPool()
    let recorded = Lock<Set<UInt64>>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let numbers = (0..<1000).map { _ in pool.next() }
      recorded.withLock { $0.formUnion(numbers) }
    }
    #expect(recorded.withLock { $0.count } == 8000)
  }
}
