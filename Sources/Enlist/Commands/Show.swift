internal import ArgumentParser
internal import EmailAddresses
internal import Locks
internal import MailingList

/// The `enlist show` command, which prints what the list has about people.
struct Show: AsyncParsableCommand, DatabaseCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print what the list has about people.",
    discussion: """
      Prints one JSON object per person, with the state, the dates and the consents, as enlist \
      export --consents does. The exit code is 1 if an address is not on the list or invalid. The \
      command reads the whole list, and works while the service is running.
      """
  )

  @Argument(help: "Addresses to show; - reads them from standard input, one per line")
  var addresses: [String]
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() async throws {
    let settings = try begin()
    do {
      let keys = Set(try AddressArguments.read(addresses, effect: "shown").map(\.key))
      let found = Lock<Set<String>>([])
      let reader = try openReader(settings)
      var export = SubscriberExport(reader: reader, format: .ndjson)
      export.consents = reader
      export.fields = settings.fields
      export.includes = { subscriber in
        guard let address = try? EmailAddress(validating: subscriber.address, level: .test),
          keys.contains(address.key)
        else { return false }
        found.withLock { _ = $0.insert(address.key) }
        return true
      }
      try await export.write(to: .standardOutput)
      let missing = keys.count - found.withLock { $0.count }
      guard missing > 0 else { return }
      throw CommandFailure.exit(
        saying: "\(missing) \(missing == 1 ? "address is" : "addresses are") not on the list"
      )
    } catch let exit as ExitCode {
      throw exit
    } catch ExportError.output(.closed) {
      // The reader closed the pipe early, as `head` does.
    } catch {
      throw CommandFailure.exit(saying: "\(error)", code: CommandFailure.serverCode(of: error))
    }
  }
}
