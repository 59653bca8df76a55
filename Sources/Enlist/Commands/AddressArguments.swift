internal import EmailAddresses
internal import SubscribeService

/// The addresses that a command receives as arguments or on standard input.
enum AddressArguments {
  /// Validates all addresses before the command changes anything; `-` reads them from standard
  /// input, one per line.
  ///
  /// The level is the more lenient one, so that an address accepted at either level is accepted
  /// here.
  ///
  /// - Throws: `InvalidAddressError`, or `InputError` if standard input cannot be read.
  static func read(_ arguments: [String], effect: String) throws -> [EmailAddress] {
    var list: [EmailAddress] = []
    func add(_ text: String, _ source: String) throws(InvalidAddressError) {
      do throws(EmailAddressError) {
        list.append(try EmailAddress(validating: text, level: .test))
      } catch {
        throw InvalidAddressError(effect: effect, source: source, reason: error.reason.message)
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
struct InvalidAddressError: Error, CustomStringConvertible {
  /// The effect that the command would have had.
  let effect: String
  let source: String
  let reason: String

  var description: String { "nothing was \(effect): \(source) is invalid: \(reason)" }
}
