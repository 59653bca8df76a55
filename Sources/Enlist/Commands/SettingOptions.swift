internal import ArgumentParser
internal import Foundation

/// A group of flags that are settings, all of them text to the argument parser.
protocol SettingOptions: ParsableArguments {
  /// The flags' values, keyed by the name of the setting; `nil` for a missing flag.
  var given: [String: String?] { get }
}

extension Settings {
  /// Reads the settings of a command from its flags, the environment and the settings file, and
  /// prints warnings.
  ///
  /// - Throws: `ExitCode` 64 for an invalid setting, after one line on standard error.
  static func read(
    _ groups: [any SettingOptions],
    file: ConfigurationFileOption
  ) throws(ExitCode) -> Settings {
    let layers = try SettingLayers.read(groups, file: file)
    for warning in layers.warnings { CommandFailure.warn(warning) }
    do throws(SettingError) {
      return try Settings(layers)
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
  }
}

extension SettingLayers {
  /// Reads the sources of a command's settings: its flags, the environment and the settings file.
  ///
  /// - Throws: `ExitCode` 64 for an invalid source, after one line on standard error.
  static func read(
    _ groups: [any SettingOptions],
    file: ConfigurationFileOption
  ) throws(ExitCode) -> SettingLayers {
    var flags: [String: String] = [:]
    for group in groups {
      for (name, value) in group.given {
        if let value { flags[name] = value }
      }
    }
    do throws(SettingError) {
      return try SettingLayers(
        flags: flags,
        configuration: file.config,
        environment: ProcessInfo.processInfo.environment
      )
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
  }
}

extension SettingRow {
  var help: ArgumentHelp {
    ArgumentHelp(
      "\(meaning) (default: \(defaultText))",
      valueName: name.split(separator: "-").last.map(String.init)
    )
  }
}

/// The flag with the path of the settings file.
struct ConfigurationFileOption: ParsableArguments {
  @Option(help: "JSON file with settings; flags and environment variables override it")
  var config: String?
}

struct ListenOptions: SettingOptions {
  @Option(help: SettingTable.listen.help)
  var listen: String?
  @Option(help: SettingTable.tlsCertificate.help)
  var tlsCertificate: String?
  @Option(help: SettingTable.tlsKey.help)
  var tlsKey: String?

  var given: [String: String?] {
    [
      SettingTable.listen.name: listen,
      SettingTable.tlsCertificate.name: tlsCertificate,
      SettingTable.tlsKey.name: tlsKey,
    ]
  }
}

struct DatabaseOptions: SettingOptions {
  @Option(help: SettingTable.database.help)
  var database: String?
  @Option(help: SettingTable.databaseTimeout.help)
  var databaseTimeout: String?

  var given: [String: String?] {
    [
      SettingTable.database.name: database,
      SettingTable.databaseTimeout.name: databaseTimeout,
    ]
  }
}

struct LogOptions: SettingOptions {
  @Option(help: SettingTable.logLevel.help)
  var logLevel: String?
  @Option(help: SettingTable.logFormat.help)
  var logFormat: String?

  var given: [String: String?] {
    [SettingTable.logLevel.name: logLevel, SettingTable.logFormat.name: logFormat]
  }
}

struct EmailOptions: SettingOptions {
  @Option(help: SettingTable.emailLevel.help)
  var emailLevel: String?

  var given: [String: String?] { [SettingTable.emailLevel.name: emailLevel] }
}

/// The settings of the service's behavior, and its limits.
struct ServiceOptions: SettingOptions {
  @Option(help: SettingTable.statusStream.help)
  var statusStream: String?
  @Option(help: SettingTable.commandScope.help)
  var commandScope: String?
  @Option(help: SettingTable.allowedOrigins.help)
  var allowedOrigins: String?
  @Option(help: SettingTable.checkDeliverability.help)
  var checkDeliverability: String?
  @Option(help: SettingTable.dnsServer.help)
  var dnsServer: String?
  @Option(help: SettingTable.threads.help)
  var threads: String?
  @Option(help: SettingTable.maxConnections.help)
  var maxConnections: String?
  @Option(help: SettingTable.maxConnectionsPerClient.help)
  var maxConnectionsPerClient: String?
  @Option(help: SettingTable.connectionRate.help)
  var connectionRate: String?
  @Option(help: SettingTable.requestTimeout.help)
  var requestTimeout: String?
  @Option(help: SettingTable.trustedProxies.help)
  var trustedProxies: String?
  @Option(help: SettingTable.signupRate.help)
  var signupRate: String?
  @Option(help: SettingTable.checkRate.help)
  var checkRate: String?
  @Option(help: SettingTable.streamRate.help)
  var streamRate: String?
  @Option(help: SettingTable.drain.help)
  var drain: String?
  @Option(help: SettingTable.maxBody.help)
  var maxBody: String?
  @Option(help: SettingTable.bodyMemory.help)
  var bodyMemory: String?

  var given: [String: String?] {
    [
      SettingTable.statusStream.name: statusStream,
      SettingTable.commandScope.name: commandScope,
      SettingTable.allowedOrigins.name: allowedOrigins,
      SettingTable.checkDeliverability.name: checkDeliverability,
      SettingTable.dnsServer.name: dnsServer,
      SettingTable.threads.name: threads,
      SettingTable.maxConnections.name: maxConnections,
      SettingTable.maxConnectionsPerClient.name: maxConnectionsPerClient,
      SettingTable.connectionRate.name: connectionRate,
      SettingTable.requestTimeout.name: requestTimeout,
      SettingTable.trustedProxies.name: trustedProxies,
      SettingTable.signupRate.name: signupRate,
      SettingTable.checkRate.name: checkRate,
      SettingTable.streamRate.name: streamRate,
      SettingTable.drain.name: drain,
      SettingTable.maxBody.name: maxBody,
      SettingTable.bodyMemory.name: bodyMemory,
    ]
  }
}
