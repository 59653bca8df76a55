internal import ArgumentParser
internal import EmailAddresses
internal import SQLiteStorage
internal import SubscribeService

/// The `enlist erase` command, which removes every trace of people from the database.
struct Erase: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Erase subscribers and their consents.",
    discussion: """
      Prints how many subscribers and consents were erased and exits with 0, even if there were \
      none. If an address is invalid, nothing is erased and the exit code is 1. The command \
      rewrites the database file so that no byte of an address remains in it. It works while the \
      service is running; the service then waits about one second per 100 MB. Backups, exports \
      and the logs of other programs are not touched.
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
    ProcessSignals.ignoreWriteSignals()
    let settings = try Settings.read([database, log], file: file)
    do {
      let list = try Self.read(addresses)
      let eraser = try openEraser(settings)
      let counts = dryRun ? try eraser.count(list) : try eraser.erase(list)
      eraser.close()
      let line = counts.summary(isDryRun: dryRun)
      try OutputStream.standardOutput.write(line: line)
    } catch OutputError.closed {
      // The summary has no reader, but the rows are erased.
    } catch {
      throw CommandFailure.exit(saying: "\(error)")
    }
  }

  /// Validates all addresses before any of them is erased.
  ///
  /// Uses the more lenient level, so that an address accepted at either level can be erased.
  private static func read(_ arguments: [String]) throws -> [EmailAddress] {
    var list: [EmailAddress] = []
    func add(_ text: String, _ source: String) throws(InvalidAddressError) {
      do throws(EmailAddressError) {
        list.append(try EmailAddress(validating: text, level: .test))
      } catch {
        throw InvalidAddressError(source: source, reason: error.reason.message)
      }
    }
    for (index, argument) in arguments.enumerated() {
      guard argument == "-" else {
        try add(argument, "address \(index + 1)")
        continue
      }
      var lines = InputLines(maximumCount: 2_000)
      var number = 0
      while var line = try lines.next() {
        number += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty { continue }
        try add(String(decoding: line, as: UTF8.self), "line \(number)")
      }
    }
    return list
  }
}

/// An address that cannot be on the list.
///
/// The error names the position of the address instead of its text, because standard error often
/// goes to a log.
private struct InvalidAddressError: Error, CustomStringConvertible {
  let source: String
  let reason: String

  var description: String { "nothing was erased: \(source) is invalid: \(reason)" }
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
