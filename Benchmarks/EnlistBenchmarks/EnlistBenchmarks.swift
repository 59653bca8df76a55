internal import ArgumentParser

/// What the parts of Enlist cost, one subcommand for each part.
@main
struct EnlistBenchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "EnlistBenchmarks",
    abstract: "Measures what the parts of Enlist cost.",
    subcommands: [
      SignalsBenchmark.self, EmailBenchmark.self, ServiceBenchmark.self, StreamServer.self,
    ]
  )
}
