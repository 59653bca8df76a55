internal import ArgumentParser
internal import GnuTLS
internal import Microhttpd

/// The `enlist serve` command, which runs the service until a Unix signal ends it.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the service.",
    discussion: """
      Each setting is a flag, an environment variable (--max-body is ENLIST_MAX_BODY) and a key in \
      the JSON file given by --config. Flags override environment variables, which override the \
      JSON file, which overrides the defaults. A variable with _FILE appended gives the path of a \
      file that contains the value (ENLIST_DATABASE_FILE=/run/secrets/database).
      """
  )

  @OptionGroup var listen: ListenOptions
  @OptionGroup var publicURL: PublicURLOptions
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var email: EmailOptions
  @OptionGroup var service: ServiceOptions
  @OptionGroup var streams: StreamOptions
  @OptionGroup var operatorListener: OperatorOptions
  @OptionGroup var mail: MailOptions
  @OptionGroup var consents: ConsentOptions
  @OptionGroup var secret: SecretOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() async throws {
    let settings = try Settings.read(
      [
        listen, publicURL, database, email, service, streams, operatorListener, mail, consents,
        secret, log,
      ],
      file: file
    )
    let identity: TLSIdentity?
    let delivery: MailDelivery?
    do throws(SettingError) {
      identity = try settings.tlsIdentity()
      delivery = try settings.mailDelivery()
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
    do {
      try await ServiceRunner.run(settings, identity: identity, delivery: delivery)
    } catch {
      throw CommandFailure.exit(saying: "\(error)")
    }
  }
}
