internal import ArgumentParser

/// The judgement of addresses beside a loop over their octets.
struct EmailBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "email",
    abstract: "Measures the judgement of addresses beside a loop over their octets."
  )

  @OptionGroup var table: TableOptions

  mutating func run() async throws {
    try await table.run(Row.ofEmail)
  }
}
