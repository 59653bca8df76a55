internal import ArgumentParser

/// What each table can be asked.
struct TableOptions: ParsableArguments {
  @Flag(help: "Count allocations only, and fail when there are more than Thresholds.json allows.")
  var check = false

  @Option(help: "Measure only the rows whose name begins so, (a) for instance.")
  var row: String?

  @Option(help: "How often each is timed; the median is printed.")
  var rounds = 21

  func validate() throws {
    if rounds < 1 { throw ValidationError("--rounds is \(rounds): allowed is 1 or more") }
  }

  /// Measures rows, or checks them.
  func run(_ rows: [Row]) async throws {
    let selected = rows.filter { $0.name.hasPrefix(row ?? "") }
    if selected.isEmpty { throw ValidationError("--row names none of the rows") }
    if check {
      guard try await Thresholds().check(selected) else { throw ExitCode.failure }
    } else {
      print(Machine.current.description)
      print()
      let results = await Stopwatch(rounds: rounds).measure(selected)
      print(ResultTable(results).text)
    }
  }
}
