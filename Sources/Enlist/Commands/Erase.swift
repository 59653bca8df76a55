internal import ArgumentParser
internal import MailingList

/// The `enlist erase` command, which removes every trace of people from the database.
struct Erase: DatabaseCommand {
  static let configuration = CommandConfiguration(
    abstract: "Erase subscribers and their consents.",
    discussion: """
      Deletes the subscribers and all that belongs to them: consents, suppression, links, codes, \
      and mails that wait. What stays is the text of mails, which names nobody, and keyed hashes: \
      of a mailbox, until 30 days after its last mail, and of an address that was suppressed while \
      it was not on the list.

      Prints how many subscribers and consents were erased and exits with 0, even if there were \
      none. If an address is invalid, nothing is erased and the exit code is 1. The command \
      rewrites the database file so that no byte of an address remains in it. It works while the \
      service is running; the service then waits about one second per 100 MB. Mails that have \
      been sent, backups, exports and the logs of other programs are not touched.
      """
  )

  @Argument(help: "Addresses to erase; - reads them from standard input, one per line")
  var addresses: [String]
  @Flag(help: "Print the counts without erasing anything")
  var dryRun = false
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() throws {
    let settings = try begin()
    do {
      let list = try AddressArguments.read(addresses, effect: "erased")
      let eraser = try openEraser(settings)
      let counts = dryRun ? try eraser.count(list) : try eraser.erase(list)
      eraser.close()
      let line = counts.summary(isDryRun: dryRun)
      try OutputStream.standardOutput.write(line: line)
    } catch OutputError.closed {
      // The summary has no reader, but the rows are erased.
    } catch {
      throw CommandFailure.exit(saying: "\(error)", code: CommandFailure.serverCode(of: error))
    }
  }
}

extension ErasedCounts {
  /// Formats the line that the command prints, such as "erased 1 subscriber and 3 consents".
  func summary(isDryRun: Bool) -> String {
    func text(_ count: Int, _ noun: String) -> String {
      "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    return "\(isDryRun ? "would erase" : "erased") \(text(subscribers, "subscriber"))"
      + " and \(text(consents, "consent"))"
  }
}
