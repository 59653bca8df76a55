internal import ArgumentParser

/// Compares the validation of addresses with a loop over their bytes.
struct EmailBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "email",
    abstract: "Measure the validation of addresses against a loop over their bytes.")

  @OptionGroup var table: TableOptions

  mutating func run() async throws {
    try await table.run(Row.ofEmail)
  }
}
