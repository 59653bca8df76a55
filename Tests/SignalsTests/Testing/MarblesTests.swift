import Signals
import SignalsTesting
import Testing

@Suite struct MarblesTests {
  @Test(arguments: ["", "a", "-a-b|", "(ab|)", "a-#", "-(a1)--|"])
  func `draws what was drawn`(_ row: String) {
    let scheduler = TestScheduler()
    #expect(scheduler.diagram(of: scheduler.signal(row)) == row)
  }

  @Test func `leaves out the dashes at the end, on both sides`() {
    let scheduler = TestScheduler()
    let marbles: Marbles = ["a--b---", "a--b-"]
    #expect(scheduler.diagram(of: scheduler.signal(marbles.source)) == marbles.expected)
  }

  @Test func `takes the last row as what is expected`() {
    let marbles: Marbles = ["a", "b", "c"]
    #expect(marbles.source == "a")
    #expect(marbles.sources == ["a", "b"])
    #expect(marbles.expected == "c")
  }

  @Test func `starts a row at the moment of subscribing`() {
    let scheduler = TestScheduler()
    let signal = scheduler.signal("a-b|")
    scheduler.advance(by: .seconds(7))
    #expect(scheduler.diagram(of: signal) == "a-b|")
  }
}
