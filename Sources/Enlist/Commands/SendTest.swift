internal import ArgumentParser
internal import Delivery
internal import EmailAddresses
internal import MailingList
internal import Security
internal import Signals
internal import SubscribeService

/// The `enlist send-test` command, which sends one mail and prints the conversation.
struct SendTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a test mail, and print the conversation.",
    discussion: """
      The mail is that of a sign-up, in English, but its link and its code are not valid; what \
      follows AUTH is hidden. The command does not use the database.
      """
  )

  @Argument(help: "Address that receives the mail")
  var address: String
  @OptionGroup var publicURL: PublicURLOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var mail: MailOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() async throws {
    let settings = try readSettings()
    var delivery = try readDelivery(settings)
    let recipient: EmailAddress
    do throws(EmailAddressError) {
      recipient = try EmailAddress(validating: address, level: .test)
    } catch {
      throw CommandFailure.exit(saying: "the address is invalid: \(error.reason.message)")
    }
    delivery.printConversation()
    let mailer = delivery.makeMailer()
    let (claimed, message) = try compose(delivery, to: recipient)
    do throws(DeliveryError) {
      _ = try await mailer.deliver(claimed, message).last()
    } catch {
      _ = await mailer.close().last()
      let cause = error.failure.cause.map { ": \($0)" } ?? ""
      throw CommandFailure.exit(saying: "the mail was not sent: \(error)\(cause)")
    }
    _ = await mailer.close().last()
    // A reader that has closed the pipe does not need the summary.
    try? OutputStream.standardOutput.write(line: delivery.successMessage)
  }

  private func readDelivery(_ settings: Settings) throws(ExitCode) -> MailDelivery {
    do throws(SettingError) {
      if let delivery = try settings.mailDelivery(of: settings.listProfile()) {
        return delivery
      }
      let name = "--\(SettingTable.mail.smtpURL.name)"
      throw SettingError(
        setting: name, value: SettingTable.mail.smtpURL.defaultText,
        reason: "expected \(name) or --\(SettingTable.mail.mailToDirectory.name)")
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
  }

  /// Composes a mail with a new id and a secret for this mail only.
  private func compose(
    _ delivery: MailDelivery, to recipient: EmailAddress
  ) throws(ExitCode) -> (ClaimedMail, MailMessage) {
    let now = Timestamp.now
    let mail = ClaimedMail(outsideOutboxTo: recipient, at: now)
    let composer = MailComposer(delivery.wordings, MailKeys(Keyring(Secret())))
    do throws(HeaderFieldError) {
      return (mail, try composer.message(for: mail, at: now, isTest: true))
    } catch {
      throw CommandFailure.exit(saying: "the mail cannot be composed")
    }
  }
}
