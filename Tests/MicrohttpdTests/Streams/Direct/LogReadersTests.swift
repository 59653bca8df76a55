import HTTPSignals
import Testing

@testable import Microhttpd

/// The rounds in which the streams of a log are flushed.
@Suite struct LogReadersTests {
  private let readers = LogReaders(log: EventLog(capacity: 1))

  private func flushed() -> Set<Int32> {
    var flushed: Set<Int32> = []
    while let stream = readers.takePending() { flushed.insert(stream) }
    return flushed
  }

  @Test(arguments: [1, 2, 5]) func `a stream that opens during a round displaces no other stream`(
    _ count: Int32
  ) {
    for stream in 0..<count { _ = readers.add(stream) }
    for alreadyFlushed in 0..<count {
      readers.startRound()
      #expect(flushed().count == Int(count))
      readers.startRound()
      var seen: Set<Int32> = []
      for _ in 0..<alreadyFlushed { if let stream = readers.takePending() { seen.insert(stream) } }
      let index = readers.add(100)
      #expect(seen.union(flushed()).isSuperset(of: 0..<count))
      _ = readers.remove(at: index)
    }
  }

  @Test func `a stream that closes during a round displaces no other stream`() {
    for stream in 0..<4 as Range<Int32> { _ = readers.add(stream) }
    readers.startRound()
    let first = readers.takePending()
    #expect(first == 0)
    #expect(readers.remove(at: 0) == 3)
    #expect(flushed() == [1, 2, 3])
  }
}
