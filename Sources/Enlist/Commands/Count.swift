internal import ArgumentParser
internal import MailingList
internal import Signals

/// The `enlist count` command, which prints the number of people in each state.
struct Count: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the number of people in each state.",
    discussion: """
      Prints one line per state, such as "subscribed 1204". The command reads the whole list, and \
      works while the service is running.
      """
  )

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let settings = try readSettings()
    try await reportingErrors {
      let counts = try await openReader(settings).subscriberCounts().last() ?? [:]
      for state in Subscriber.State.allCases {
        try OutputStream.standardOutput.write(line: "\(state.name) \(counts[state] ?? 0)")
      }
    }
  }
}
