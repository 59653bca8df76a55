internal import ArgumentParser
internal import Delivery
internal import EmailAddresses
internal import FoundationEssentials
internal import HTTPSignals
internal import MailingList
internal import Platform
internal import Security
internal import Signals
internal import Services

struct Check: Command {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Validate addresses and print one JSON line each.",
    discussion: """
      The lines have the format of POST /email-checks responses; nothing is stored, or sent over \
      the network. After --, an address may start with a hyphen.
      """
  )

  @Argument(help: "Addresses to validate; - reads them from standard input, one per line")
  var addresses: [String]
  @OptionGroup var flags: SettingFlags<CheckSettings>

  func run(_ settings: Settings) throws {
    var areAllValid = true
    func check(_ bytes: [UInt8]) throws(OutputError) {
      let check = EmailCheck(bytes, level: settings.emailLevel)
      areAllValid = areAllValid && check.isValid
      try OutputStream.standardOutput.write(check.json.bytes + [UInt8(ascii: "\n")])
    }
    for address in addresses {
      if address == "-" {
        // No valid address is this long, so the start of a longer line suffices to reject it.
        var input = InputBytes()
        while let line = try input.nextLine(maximumCount: 2_000) { try check(line) }
      } else {
        try check(Array(address.utf8))
      }
    }
    if !areAllValid { throw ExitCode.failure }
  }
}

struct Templates: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "templates",
    abstract: "Write the templates of mails, to change them.",
    discussion: """
      The files are those that the service uses without --templates; delete those that you do not \
      change. The command fails if one of the files exists.
      """
  )

  @Argument(help: "Path of the directory", completion: .directory)
  var directory: String

  func run() throws {
    ThisProcess.ignoreWriteSignals()
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    let files = MailTemplates.builtInFiles.map { (folder.appending(path: $0.name), $0.content) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure.exit(with: Failure("\(directory): the directory cannot be created"))
    }
    for (file, _) in files where FileManager.default.fileExists(atPath: file.path) {
      throw CommandFailure.exit(
        with: Failure("\(file.path): the file exists; choose another directory"))
    }
    for (file, content) in files {
      do {
        try Data(content.utf8).write(to: file, options: .withoutOverwriting)
      } catch {
        throw CommandFailure.exit(with: Failure("\(file.path): the file cannot be written"))
      }
      // The files are complete even if the reader has closed the pipe.
      try? OutputStream.standardOutput.write(line: file.path)
    }
  }
}

struct SendTest: Command {
  static let configuration = CommandConfiguration(
    commandName: "send-test",
    abstract: "Send a test mail, and print the conversation.",
    discussion: """
      The mail is that of a sign-up, in English, but its link and its code are not valid; what \
      follows AUTH is hidden. The command does not use the database.
      """
  )

  @Argument(help: "Address that receives the mail")
  var address: String
  @OptionGroup var flags: SettingFlags<MailSettings>

  func run(_ settings: Settings) async throws {
    guard var delivery = try settings.mailDelivery(of: settings.listProfile()) else {
      throw SettingError(
        setting: "--smtp-url", value: "none", reason: "expected --smtp-url or --mail-to-directory")
    }
    let recipient: EmailAddress
    do throws(EmailAddressError) {
      recipient = try EmailAddress(validating: address, level: .test)
    } catch {
      throw Failure("the address is invalid: \(error.reason.message)")
    }
    try delivery.createDirectory()
    delivery.printConversation()
    let mailer = delivery.makeMailer()
    let mail = ClaimedMail(outsideOutboxTo: recipient, at: .now)
    // The secret is for this mail only.
    let composer = MailComposer(delivery.wordings, MailKeys(Keyring(Secret())))
    let message = try composer.message(for: mail, at: .now, isTest: true)
    do throws(DeliveryError) {
      _ = try await mailer.deliver(mail, message).last()
    } catch {
      _ = await mailer.close().last()
      let cause = error.failure.cause.map { ": \($0)" } ?? ""
      throw Failure("the mail was not sent: \(error)\(cause)")
    }
    _ = await mailer.close().last()
    try say(delivery.successMessage)
  }
}

struct Healthcheck: Command {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck",
    abstract: "Check whether the service at --listen is ready.",
    discussion: """
      For 0.0.0.0 and [::] the check uses the loopback address. With --tls-certificate it uses TLS.
      """
  )

  @OptionGroup var flags: SettingFlags<HealthcheckSettings>

  func run(_ settings: Settings) throws {
    guard var address = settings.listen else {
      throw SettingError(
        setting: "--listen", value: "systemd",
        reason: "only the service knows the socket systemd passes; expected the socket's address")
    }
    if case .network(let listen) = address { address = .network(listen.reachableHere) }
    let isSecure = settings.tlsCertificate != nil
    let status: Int
    do throws(StatusRequestError) {
      status = try StatusRequest.send(
        "/readyz", to: address, isSecure: isSecure, timeout: .seconds(3))
    } catch {
      throw Failure("\(address) is not ready: \(error)")
    }
    if status != 200 { throw Failure("\(address) is not ready: status \(status)") }
  }
}
