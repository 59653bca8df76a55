internal import ArgumentParser

/// Compares the reactive library with a list of closures, and with its peers: similar libraries.
struct SignalsBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signals",
    abstract: "Measure Signals against a list of closures, and peers if built with ENLIST_PEERS.")

  @OptionGroup var table: TableOptions

  mutating func run() async throws {
    #if PEERS
      try await table.run(Row.ofSignalsAndPeers)
    #else
      try await table.run(Row.ofSignals)
    #endif
    guard table.check, table.row == nil else { return }
    let isDeep = DepthCheck.run()
    let isScalable = ScaleCheck.run()
    if !isDeep || !isScalable { throw ExitCode.failure }
  }
}
