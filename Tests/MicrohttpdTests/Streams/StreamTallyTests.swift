import CoreMetrics
import Locks
import Testing

@testable import Microhttpd

@Suite struct StreamTallyTests {
  @Test(
    arguments: [
      (from: 1, next: 5, replayEnd: 1, live: 4, replayed: 0),
      (from: 1, next: 5, replayEnd: 5, live: 0, replayed: 4),
      (from: 1, next: 5, replayEnd: 9, live: 0, replayed: 4),
      (from: 1, next: 5, replayEnd: 3, live: 2, replayed: 2),
      (from: 5, next: 6, replayEnd: 3, live: 1, replayed: 0),
    ] as [(from: UInt64, next: UInt64, replayEnd: UInt64, live: Int64, replayed: Int64)]
  )
  func `events that existed when the stream was opened are replayed`(
    _ sample: (from: UInt64, next: UInt64, replayEnd: UInt64, live: Int64, replayed: Int64)
  ) {
    let factory = CountingFactory()
    let metrics = DaemonMetrics(factory)
    let tally = StreamTally()
    tally.add(from: sample.from, to: sample.next, replayEnd: sample.replayEnd)
    tally.flush(to: metrics)
    tally.flush(to: metrics)
    let counts = factory.counts
    #expect(counts["enlist_stream_events_total live", default: 0] == sample.live)
    #expect(counts["enlist_stream_events_total replayed", default: 0] == sample.replayed)
  }

  @Test func `every end and every rejection has a counter of its own`() {
    let factory = CountingFactory()
    let metrics = DaemonMetrics(factory)
    for end in StreamEnd.allCases {
      metrics.count(end)
      #expect(factory.counts["enlist_stream_closes_total \(end.rawValue)"] == 1)
    }
    for kind in RejectionKind.allCases {
      metrics.count(kind)
      #expect(factory.counts["enlist_rejections_total \(kind.name)"] == 1)
    }
  }
}

/// A factory of counters that a test reads.
private final class CountingFactory: MetricsFactory {
  private final class Cell: CounterHandler {
    let count = Lock<Int64>(0)

    func increment(by amount: Int64) { count.withLock { $0 += amount } }
    func reset() {}
  }

  private let cells = Lock<[String: Cell]>([:])

  /// The counts by name and value of the label.
  var counts: [String: Int64] {
    cells.withLock { $0 }.mapValues { cell in cell.count.withLock { $0 } }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let name = ([label] + dimensions.map(\.1)).joined(separator: " ")
    return cells.withLock { cells in
      let cell = cells[name] ?? Cell()
      cells[name] = cell
      return cell
    }
  }

  func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler { NOOPMetricsHandler.instance }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    NOOPMetricsHandler.instance
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
