internal import ArgumentParser

/// The options of every table.
struct TableOptions: ParsableArguments {
  @Flag(help: "Count only allocations; fail if there are more than Thresholds.json allows.")
  var check = false

  @Option(help: "Measure only rows whose name starts with this text, such as (a).")
  var row: String?

  @Option(help: "How often each contender is timed; the median is printed.")
  var rounds = 21

  func validate() throws {
    if rounds < 1 {
      throw ValidationError("invalid value \"\(rounds)\" for --rounds: expected 1 or more")
    }
  }

  /// Measures rows or checks their allocations.
  func run(_ rows: [Row]) async throws {
    let selected = rows.filter { $0.name.hasPrefix(row ?? "") }
    if selected.isEmpty { throw ValidationError("no row's name starts with the value of --row") }
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
