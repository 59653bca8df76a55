import Signals
import SignalsTesting
import Testing

@Suite struct WithLatestTests {
  @Test(
    arguments: [
      // Values before the other's first are left out; the other alone sends nothing.
      [
        "a-b--c-|",
        "-x-y----",
        "--x--y-|",
      ],
      // The last value stays when the other completes.
      [
        "-b--c-|",
        "x-|",
        "-x--x-|",
      ],
      [
        "-b-----",
        "x--#",
        "-x-#",
      ],
      [
        "-b-#",
        "x---",
        "-x-#",
      ],
    ] as [Marbles]
  )
  func `sends each value with the latest one of the other signal`(_ marbles: Marbles) {
    #expect(
      marbles.joint { source, other in source.withLatest(from: other) { $1 } }
        == marbles.expected
    )
  }

  @Test func `finds the current value of a property, and sends pairs`() {
    let property = Property(10)
    let source = Signal<Int, Trouble>([1, 2])
    let pairs = source.withLatest(from: property.signal)
    #expect(values(of: pairs.map { $0 + $1 }) == [11, 12])
    #expect(values(of: source.withLatest(from: source).map { "\($0)\($1)" }) == ["12", "22"])
  }
}
