internal import ArgumentParser
internal import HTTPSignals
internal import SubscribeService

/// `enlist check`: validates addresses as the service would.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Validate addresses; one line of JSON for each, exit 0 if all are valid, else 1.",
    discussion: """
      The lines are what POST /email-checks answers. Nothing is stored, and nobody is asked. After \
      -- an address may begin with a hyphen.
      """
  )

  @Argument(help: "Addresses; - reads them from standard input, a line each.")
  var addresses: [String]
  @OptionGroup var email: EmailOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() throws {
    ProcessSignals.ignoreWriteSignals()
    let level = try Settings.read([email], file: file).emailLevel
    var areAllValid = true
    func check(_ bytes: [UInt8]) throws(OutputError) {
      let check = EmailCheck(bytes, level: level)
      areAllValid = areAllValid && check.isValid
      try OutputStream.standardOutput.write(check.json.bytes + [UInt8(ascii: "\n")])
    }
    do {
      for address in addresses {
        if address == "-" {
          // What is longer than any address is validated by its beginning: it is too long.
          var lines = InputLines(maximumCount: 2_000)
          while let line = try lines.next() { try check(line) }
        } else {
          try check(Array(address.utf8))
        }
      }
    } catch OutputError.closed {
      // Whoever read has read enough, as `head` does.
    } catch {
      throw CommandFailure.exit(saying: "\(error)")
    }
    if !areAllValid { throw ExitCode.failure }
  }
}
