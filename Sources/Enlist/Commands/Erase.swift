internal import ArgumentParser
internal import MailingList
internal import SQLiteStorage

/// `enlist erase`: removes people from the database, as if they had never been there.
struct Erase: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Erase people: subscribers and their consents.",
    discussion: """
      Prints how many subscribers and consents were erased; exit 0, also when there were none. When \
      an address is invalid nothing is erased, and the exit code is 1. The file is written anew, so \
      that no byte of an address is left in it: the service waits about a second for each 100 MB. \
      Works next to a running service. Backups, exports and logs of other programs are not touched.
      """
  )

  @Argument(help: "Addresses; - reads them from standard input, one a line.")
  var addresses: [String]
  @Flag(help: "Count only, and erase nothing.")
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
      // Nobody reads the summary; the rows are erased.
    } catch {
      throw CommandFailure.exit(saying: "\(error)")
    }
  }

  /// Validates all addresses before the first one is erased.
  ///
  /// The level is the more lenient one, so that an address can be erased that was accepted at it.
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

/// Why nothing was erased: an address that cannot be on the list, named by where it stood, because
/// standard error often goes to a log.
private struct InvalidAddressError: Error, CustomStringConvertible {
  let source: String
  let reason: String

  var description: String { "nothing was erased: \(source) is invalid: \(reason)" }
}

extension ErasedCounts {
  /// The line that is printed, such as "erased 1 subscriber and 3 consents".
  func summary(isDryRun: Bool) -> String {
    func text(_ count: Int, _ noun: String) -> String {
      "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    return "\(isDryRun ? "would erase" : "erased") \(text(subscribers, "subscriber"))"
      + " and \(text(consents, "consent"))"
  }
}
