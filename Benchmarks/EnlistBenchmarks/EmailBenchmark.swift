internal import ArgumentParser

/// The validation of addresses beside a loop over their bytes.
struct EmailBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "email",
    abstract: "Measures the validation of addresses beside a loop over their bytes."
  )

  @OptionGroup var table: TableOptions

  mutating func run() async throws {
    try await table.run(Row.ofEmail)
  }
}
