internal import ArgumentParser
internal import Locks
internal import MailingList

/// The `enlist count` command, which prints the number of people in each state.
struct Count: AsyncParsableCommand, DatabaseCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the number of people in each state.",
    discussion: """
      Prints one line per state, such as "subscribed 1204". The command reads the whole list, and \
      works while the service is running.
      """
  )

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() async throws {
    let settings = try begin()
    do {
      let counts = Lock<[Subscriber.State: Int]>([:])
      var export = SubscriberExport(reader: try openReader(settings), format: .ndjson)
      export.includes = { subscriber in
        counts.withLock { $0[subscriber.state, default: 0] += 1 }
        return false
      }
      try await export.write(to: .standardOutput)
      for state in Subscriber.State.allCases {
        let count = counts.withLock { $0[state] ?? 0 }
        try OutputStream.standardOutput.write(line: "\(state.name) \(count)")
      }
    } catch OutputError.closed {
      // The reader closed the pipe early, as `head` does.
    } catch {
      throw CommandFailure.exit(saying: "\(error)", code: CommandFailure.serverCode(of: error))
    }
  }
}
