import Signals
import SignalsTesting
import Testing

@Suite struct ReduceTests {
  @Test(
    arguments: [
      [
        "1-2|",
        "---(3|)",
      ],
      [
        "|",
        "(0|)",
      ],
      [
        "1#",
        "-#",
      ],
    ] as [Marbles]
  )
  func `sends one result at completion, none at a failure`(_ marbles: Marbles) {
    #expect(
      marbles.drawing { source, _ in source.reduce(0) { $0 + (Int($1) ?? 0) } } == marbles.expected
    )
  }

  @Test func `collects all values in one array`() {
    #expect(events(of: Signal<Int, Never>(1...3).collect()) == [.next([1, 2, 3]), .completed])
    #expect(events(of: Signal<Int, Never>.empty.collect()) == [.next([]), .completed])
    #expect(events(of: Signal<Int, Trouble>.fail(Trouble()).collect()) == [.failed(Trouble())])
  }

  @Test func `begins anew for each subscription`() {
    let signal = Signal<Int, Never>(1...3).reduce(into: 0) { $0 += $1 }
    #expect(values(of: signal) == [6])
    #expect(values(of: signal) == [6])
  }
}
