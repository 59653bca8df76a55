internal import ArgumentParser

/// Measures what the parts of Enlist cost, with one subcommand per part.
@main
struct EnlistBenchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "EnlistBenchmarks",
    abstract: "Measure what the parts of Enlist cost.",
    subcommands: [
      SignalsBenchmark.self, EmailBenchmark.self, ServiceBenchmark.self, StreamServer.self,
    ]
  )
}
