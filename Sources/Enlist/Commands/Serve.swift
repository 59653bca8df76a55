internal import ArgumentParser
internal import Microhttpd

/// `enlist serve`: runs the service until a Unix signal ends it.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the service.",
    discussion: """
      Every setting is also an environment variable, ENLIST_ and the flag in capitals with _ for -, \
      and a key of the file that --config names: flags go over the environment, over the file, \
      over the defaults. A variable with _FILE appended names a file that holds the value \
      (ENLIST_DATABASE_FILE=/run/secrets/database).
      """
  )

  @OptionGroup var listen: ListenOptions
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var email: EmailOptions
  @OptionGroup var service: ServiceOptions
  @OptionGroup var streams: StreamOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() async throws {
    let settings = try Settings.read([listen, database, email, service, streams, log], file: file)
    let identity: TLSIdentity?
    do throws(SettingError) {
      identity = try settings.tlsIdentity()
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
    do {
      try await ServiceRunner.run(settings, identity: identity)
    } catch {
      throw CommandFailure.exit(saying: "\(error)")
    }
  }
}
