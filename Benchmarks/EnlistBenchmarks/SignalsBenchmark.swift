internal import ArgumentParser

/// Compares the reactive library with a list of closures and with similar libraries.
struct SignalsBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signals",
    abstract: "Measure Signals against a list of closures, OpenCombine and AsyncAlgorithms."
  )

  @OptionGroup var table: TableOptions

  mutating func run() async throws {
    try await table.run(Row.ofSignals)
    if table.check, table.row == nil, !DepthCheck.run() { throw ExitCode.failure }
  }
}
