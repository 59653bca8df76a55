internal import ArgumentParser

/// Measures what the service does between the socket and the disk.
struct ServiceBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service",
    abstract: "Measure requests from their last byte to the response, without socket and disk.")

  @OptionGroup var table: TableOptions

  mutating func run() async throws {
    try await table.run(Row.ofService)
  }
}
