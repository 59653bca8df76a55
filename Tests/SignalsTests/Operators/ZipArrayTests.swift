import Signals
import SignalsTesting
import Testing

@Suite struct ZipArrayTests {
  @Test(
    arguments: [
      [
        "ab---c|",
        "-a-b---c|",
        "-3-3---(3|)",
      ],
      // It completes as soon as no partner can come any more.
      [
        "a|",
        "-a--b|",
        "-(3|)",
      ],
      [
        "a-#",
        "-a----",
        "-3#",
      ],
    ] as [Marbles]
  )
  func `sends the first values together, then the second ones`(_ marbles: Marbles) {
    let scheduler = TestScheduler()
    let signals = marbles.sources.map { scheduler.signal($0) }
    let arrays = zip(signals + [scheduler.signal("(abcdef)")])
    #expect(scheduler.diagram(of: arrays.map(\.count)) == marbles.expected)
  }

  @Test func `keeps the order of the signals`() {
    let arrays = zip([Signal<Int, Never>([1, 2, 3]), Signal([4, 5])])
    #expect(events(of: arrays) == [.next([1, 4]), .next([2, 5]), .completed])
  }

  @Test func `completes at once when there is no signal`() {
    #expect(events(of: zip([Signal<Int, Never>]())) == [.completed])
  }
}
