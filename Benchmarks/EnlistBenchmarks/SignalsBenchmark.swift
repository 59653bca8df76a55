internal import ArgumentParser

/// The reactive library beside a list of closures and its peers.
struct SignalsBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signals",
    abstract: "Measures Signals beside a list of closures, OpenCombine and AsyncAlgorithms."
  )

  @OptionGroup var table: TableOptions

  mutating func run() async throws {
    try await table.run(Row.ofSignals)
  }
}
