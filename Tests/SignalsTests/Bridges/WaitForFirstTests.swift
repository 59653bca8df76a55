import Dispatch
import Signals
import Testing

@Suite struct WaitForFirstTests {
  @Test func `blocks until another thread has sent the first value`() {
    let signal = Signal<Int, Never> { observer in
      DispatchQueue.global().async { observer.send(8) }
      return nil
    }
    #expect(signal.waitForFirst() == 8)
  }

  @Test func `is nil for a signal that completes, and throws the error of one that fails`() {
    #expect(Signal<Int, Never>.empty.waitForFirst() == nil)
    #expect(throws: Trouble(number: 1)) {
      try Signal<Int, Trouble>.fail(Trouble(number: 1)).waitForFirst()
    }
  }
}
