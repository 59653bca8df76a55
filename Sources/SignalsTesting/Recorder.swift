public import Signals

/// A log of events with their times, in lines that a test can compare.
///
/// ```swift
/// let recorder = Recorder(on: scheduler)
/// recorder.record(subject.signal, as: "S1")
/// scheduler.advance(by: .seconds(1))
/// subject.send("🐸")
/// subject.complete()
/// #expect(recorder.lines == ["1.0 S1 🐸", "1.0 S1 completed"])
/// ```
///
/// Any thread may record.
public final class Recorder: Sendable {
  private let scheduler: TestScheduler
  private let recorded = Lock<[String]>([])

  /// Makes an empty log.
  ///
  /// - Parameter scheduler: The scheduler whose time precedes each line.
  public init(on scheduler: TestScheduler = TestScheduler()) {
    self.scheduler = scheduler
  }

  /// The recorded lines: the time in seconds, then the event.
  public var lines: [String] { recorded.withLock { $0 } }

  /// Records a custom event.
  ///
  /// - Parameter text: The description of the event.
  public func note(_ text: String) {
    let line = "\(Self.seconds(scheduler.now)) \(text)"
    recorded.withLock { $0.append(line) }
  }

  /// Subscribes a signal and records its events: `S1 🐊`, `S1 completed`, `S1 failed #`.
  ///
  /// - Parameters:
  ///   - signal: The signal to record.
  ///   - name: The prefix of each event.
  /// - Returns: The subscription.
  @discardableResult
  public func record<Value, Failure>(
    _ signal: Signal<Value, Failure>, as name: String
  ) -> any Disposable {
    signal.subscribe(
      next: { self.note("\(name) \($0)") }, failed: { self.note("\(name) failed \($0)") },
      completed: { self.note("\(name) completed") })
  }

  /// Returns a time in seconds, with one to three decimals.
  private static func seconds(_ time: Duration) -> String {
    let (whole, attoseconds) = time.components
    let thousandths = String(attoseconds / 1_000_000_000_000_000 + 1_000).dropFirst()
    let decimals = thousandths.reversed().drop { $0 == "0" }.reversed()
    return "\(whole)." + (decimals.isEmpty ? "0" : String(decimals))
  }
}
