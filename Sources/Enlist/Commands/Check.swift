internal import ArgumentParser
internal import HTTPSignals
internal import SubscribeService

/// The `enlist check` command, which validates addresses as the service does.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Validate addresses and print one JSON line each.",
    discussion: """
      The lines have the format of POST /email-checks responses; nothing is stored, or sent over \
      the network. After --, an address may start with a hyphen.
      """
  )

  @Argument(help: "Addresses to validate; - reads them from standard input, one per line")
  var addresses: [String]
  @OptionGroup var email: EmailOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() throws {
    let level = try readSettings().emailLevel
    var areAllValid = true
    func check(_ bytes: [UInt8]) throws(OutputError) {
      let check = EmailCheck(bytes, level: level)
      areAllValid = areAllValid && check.isValid
      try OutputStream.standardOutput.write(check.json.bytes + [UInt8(ascii: "\n")])
    }
    try reportingErrors {
      for address in addresses {
        if address == "-" {
          // No valid address is this long, so the start of a longer line suffices to reject it.
          var lines = InputLines(maximumCount: 2_000)
          while let line = try lines.next() { try check(line) }
        } else {
          try check(Array(address.utf8))
        }
      }
    }
    if !areAllValid { throw ExitCode.failure }
  }
}
