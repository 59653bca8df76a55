import Signals
import SignalsTesting
import Testing

/// A row of a table: what an operator promises, and marbles that show it.
struct MarbleCase: Sendable, CustomTestStringConvertible {
  typealias Source = Signal<String, MarbleError>
  /// An operator of one signal, or of it and another one, as in the diagrams of the documentation.
  typealias Operator<Value: Sendable, Failure: Error> =
    @Sendable (_ source: Source, _ other: Source, TestScheduler) -> Signal<Value, Failure>

  let promise: String
  let marbles: Marbles
  /// Where the promise stands, which is where a failure is reported.
  let location: SourceLocation
  let draw: @Sendable ([String], TestScheduler) -> String

  var testDescription: String {
    "\(promise): \((marbles.sources + ["→"]).joined(separator: " ")) \(marbles.expected)"
  }

  /// Expects that the sources make the last row, and that nothing is left on the scheduler.
  func verify() {
    let scheduler = TestScheduler()
    let drawn = draw(marbles.sources, scheduler)
    #expect(drawn == marbles.expected, sourceLocation: location)
    #expect(scheduler.pendingCount == 0, sourceLocation: location)
  }

  /// Returns what draws the result of an operator; a source without a row sends nothing.
  static func drawing<Value, Failure>(
    _ operate: @escaping Operator<Value, Failure>
  ) -> @Sendable ([String], TestScheduler) -> String {
    { rows, scheduler in
      let sources = rows.map { scheduler.signal($0) } + [.never, .never]
      return scheduler.diagram(of: operate(sources[0], sources[1], scheduler))
    }
  }
}

/// Puts promises together, statement by statement: as one array they would be one expression for
/// the type checker.
@resultBuilder enum MarbleTable {
  static func buildBlock(_ promises: [MarbleCase]...) -> [MarbleCase] {
    promises.flatMap { $0 }
  }
}

/// Returns a row for each of the marbles: the sources of an operator, then what it sends.
func promise<Value, Failure>(
  _ promise: String, _ marbles: Marbles..., location: SourceLocation = #_sourceLocation,
  of operate: @escaping MarbleCase.Operator<Value, Failure>
) -> [MarbleCase] {
  let draw = MarbleCase.drawing(operate)
  return marbles.map {
    MarbleCase(promise: promise, marbles: $0, location: location, draw: draw)
  }
}

/// Returns a row for each of the marbles, of an operator that takes any number of sources.
func promise<Value, Failure>(
  _ promise: String,
  _ marbles: Marbles...,
  location: SourceLocation = #_sourceLocation,
  ofAll operate:
    @escaping @Sendable ([MarbleCase.Source], TestScheduler) -> Signal<Value, Failure>
) -> [MarbleCase] {
  marbles.map {
    MarbleCase(promise: promise, marbles: $0, location: location) { rows, scheduler in
      scheduler.diagram(of: operate(rows.map { scheduler.signal($0) }, scheduler))
    }
  }
}
