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

  @Test(
    arguments: [
      ("a-(b c)|", .space, 5),
      ("a b", .space, 2),
      ("-a(bc|", .groupNotClosed, 3),
      ("ab)", .groupNotOpened, 3),
      ("(a(b))", .groupInGroup, 3),
      ("a()b", .emptyGroup, 3),
      ("(a-b)", .dashInGroup, 3),
      ("a|-b", .eventAfterEnd, 4),
      ("(a#|)", .eventAfterEnd, 4),
    ] as [(String, MarblesError.Reason, Int)]
  )
  func `rejects what it does not understand, with its position`(
    row: String, reason: MarblesError.Reason, position: Int
  ) {
    let error = #expect(throws: MarblesError.self) { try Marbles(validating: ["a|", row]) }
    #expect(error?.reason == reason)
    #expect(error?.row == row)
    #expect(error?.position == position)
  }

  @Test func `shows what it rejects, with a mark under it`() {
    let error = #expect(throws: MarblesError.self) { try Marbles(validating: ["-a(bc|"]) }
    #expect(
      error?.description
        == "Marbles, character 3: the parenthesis is not closed\n-a(bc|\n  ^"
    )
  }

  @Test func `stops a test whose drawing it does not understand`() async {
    await #expect(processExitsWith: .failure) { _ = ["a|", "(a"] as Marbles }
    await #expect(processExitsWith: .failure) { _ = TestScheduler().signal("(a") }
  }
}
