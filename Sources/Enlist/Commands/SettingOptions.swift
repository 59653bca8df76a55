internal import ArgumentParser

/// A group of flags that are settings, each of them text to the argument parser.
protocol SettingOptions: ParsableArguments {}

/// The flag with the path of the settings file.
struct ConfigurationFileOption: SettingOptions {
  @Option(help: "JSON file with settings; flags and environment variables override it")
  var config: String?
}

struct ListenOptions: SettingOptions {
  @Option(SettingTable.service.listen) var listen: String?
  @Option(SettingTable.service.tlsCertificate) var tlsCertificate: String?
  @Option(SettingTable.service.tlsKey) var tlsKey: String?
}

/// The settings of each command that opens the database.
struct DatabaseOptions: SettingOptions {
  @Option(SettingTable.service.database) var database: String?
  @Option(SettingTable.service.databaseTimeout) var databaseTimeout: String?
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption
}

struct LogOptions: SettingOptions {
  @Option(SettingTable.service.logLevel) var logLevel: String?
  @Option(SettingTable.service.logFormat) var logFormat: String?
}

struct EmailOptions: SettingOptions {
  @Option(SettingTable.service.emailLevel) var emailLevel: String?
}

/// The settings of the service's behavior, and its limits.
struct ServiceOptions: SettingOptions {
  @Option(SettingTable.service.statusStream) var statusStream: String?
  @Option(SettingTable.service.commandScope) var commandScope: String?
  @Option(SettingTable.service.allowedOrigins) var allowedOrigins: String?
  @Option(SettingTable.service.checkDeliverability) var checkDeliverability: String?
  @Option(SettingTable.service.dnsServer) var dnsServer: String?
  @Option(SettingTable.service.threads) var threads: String?
  @Option(SettingTable.service.maxConnections) var maxConnections: String?
  @Option(SettingTable.service.maxConnectionsPerClient) var maxConnectionsPerClient: String?
  @Option(SettingTable.service.connectionRate) var connectionRate: String?
  @Option(SettingTable.service.requestTimeout) var requestTimeout: String?
  @Option(SettingTable.service.trustedProxies) var trustedProxies: String?
  @Option(SettingTable.service.signupRate) var signupRate: String?
  @Option(SettingTable.service.checkRate) var checkRate: String?
  @Option(SettingTable.service.streamRate) var streamRate: String?
  @Option(SettingTable.service.drain) var drain: String?
  @Option(SettingTable.service.maxBody) var maxBody: String?
  @Option(SettingTable.service.bodyMemory) var bodyMemory: String?
}

struct StreamOptions: SettingOptions {
  @Option(SettingTable.service.maxStreams) var maxStreams: String?
  @Option(SettingTable.service.maxStreamsPerClient) var maxStreamsPerClient: String?
  @Option(SettingTable.service.heartbeat) var heartbeat: String?
  @Option(SettingTable.service.streamLifetime) var streamLifetime: String?
  @Option(SettingTable.service.streamStall) var streamStall: String?
  @Option(SettingTable.service.streamHistory) var streamHistory: String?
  @Option(SettingTable.service.executionHistory) var executionHistory: String?
}

struct OperatorOptions: SettingOptions {
  @Option(SettingTable.operatorListener.operatorListen) var operatorListen: String?
  @Option(SettingTable.operatorListener.operatorMaxConnections) var operatorMaxConnections: String?
  @Option(SettingTable.operatorListener.operatorURL) var operatorURL: String?
  @Option(SettingTable.operatorListener.metricsAccess) var metricsAccess: String?
  @Option(SettingTable.operatorListener.eventRetention) var eventRetention: String?
}

struct WebhookOptions: SettingOptions {
  @Option(SettingTable.operatorListener.webhookNetworks) var webhookNetworks: String?
  @Option(SettingTable.operatorListener.webhookCA) var webhookCA: String?
}

struct ListOptions: SettingOptions {
  @Option(SettingTable.list.listName) var listName: String?
  @Option(SettingTable.list.listDescription) var listDescription: String?
  @Option(SettingTable.list.siteURL) var siteURL: String?
  @Option(SettingTable.list.logo) var logo: String?
  @Option(SettingTable.list.accentColor) var accentColor: String?
  @Option(SettingTable.list.privacyURL) var privacyURL: String?
  @Option(SettingTable.list.imprintURL) var imprintURL: String?
  @Option(SettingTable.list.consentText) var consentText: String?
  @OptionGroup var form: FormOptions
  @Option(SettingTable.list.texts) var texts: String?
  @Option(SettingTable.list.stylesheet) var stylesheet: String?
}

struct FormOptions: SettingOptions {
  @Option(SettingTable.list.fields) var fields: String?
}

struct MailOptions: SettingOptions {
  @Option(SettingTable.mail.optIn) var optIn: String?
  @Option(SettingTable.mail.smtpURL) var smtpURL: String?
  @Option(SettingTable.mail.smtpUser) var smtpUser: String?
  @Option(SettingTable.mail.smtpPassword) var smtpPassword: String?
  @Option(SettingTable.mail.smtpTLS) var smtpTLS: String?
  @Option(SettingTable.mail.smtpCA) var smtpCA: String?
  @Option(SettingTable.mail.smtpConnections) var smtpConnections: String?
  @Option(SettingTable.mail.smtpTimeout) var smtpTimeout: String?
  @Option(SettingTable.mail.mailToDirectory) var mailToDirectory: String?
  @Option(SettingTable.mail.mailFrom) var mailFrom: String?
  @Option(SettingTable.mail.mailReplyTo) var mailReplyTo: String?
  @Option(SettingTable.mail.bounceAddress) var bounceAddress: String?
  @Option(SettingTable.mail.mailFooter) var mailFooter: String?
  @Option(SettingTable.mail.templates) var templates: String?
  @Option(SettingTable.mail.mailRetry) var mailRetry: String?
  @Option(SettingTable.mail.mailBudget) var mailBudget: String?
  @Option(SettingTable.mail.mailBudgetPerDomain) var mailBudgetPerDomain: String?
  @Option(SettingTable.mail.alarmTo) var alarmTo: String?
  @Option(SettingTable.mail.confirmCode) var confirmCode: String?
}

/// The settings of the data that the service stores and reports about confirmations.
struct ConsentOptions: SettingOptions {
  @Option(SettingTable.mail.confirmedEvent) var confirmedEvent: String?
  @Option(SettingTable.mail.consentAddress) var consentAddress: String?
}

struct SecretOptions: SettingOptions {
  @Option(SettingTable.mail.secret) var secret: String?
  @Option(SettingTable.mail.secretFile) var secretFile: String?
}

struct PublicURLOptions: SettingOptions {
  @Option(SettingTable.service.publicURL) var publicURL: String?
}
