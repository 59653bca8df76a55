internal import ArgumentParser
internal import Delivery
internal import HTTPSignals
internal import ListStorage
internal import MailingList
internal import OperatorService
internal import Security
internal import Signals

/// The `enlist webhooks` command, which manages the URLs to which events are sent.
struct Webhooks: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Manage webhooks, which get the events of the list.",
    subcommands: [
      CreateWebhook.self, ListWebhooks.self, ShowWebhook.self, UpdateWebhook.self,
      RotateWebhook.self, EnableWebhook.self, DisableWebhook.self, TestWebhook.self,
      DeleteWebhook.self,
    ]
  )
}

/// The settings of all commands for webhooks.
struct WebhookCommandOptions: ParsableArguments {
  @OptionGroup var webhooks: WebhookOptions
  @OptionGroup var secret: SecretOptions
  @OptionGroup var database: DatabaseOptions
}

/// A command that reads or changes webhooks.
protocol WebhookCommand: ParsableCommand {
  var options: WebhookCommandOptions { get }
}

extension WebhookCommand {
  func withTable<Value>(
    _ settings: Settings, _ body: (WebhookTable) throws(StoreError) -> Value
  ) throws -> Value {
    let access = try openAccess(settings)
    defer { access.close() }
    return try access.perform { (session) throws(StoreError) in try body(WebhookTable(session)) }
  }

  func find(_ id: String, _ settings: Settings) throws -> (WebhookList, Webhook) {
    let list = try withTable(settings) { (table) throws(StoreError) in try table.webhooks() }
    guard let webhook = list.webhooks.first(where: { $0.id == id }) else { throw unknown(id) }
    return (list, webhook)
  }

  func unknown(_ id: String) -> ExitCode {
    let id = LineText.escaped(id)
    return CommandFailure.exit(saying: "there is no webhook \(id); enlist webhooks list shows all")
  }

  func write(_ members: (inout JSONObject) -> Void) throws(OutputError) {
    var json = JSONText(escaping: .line)
    json.object(members)
    try OutputStream.standardOutput.write(line: String(decoding: json.bytes, as: UTF8.self))
  }

  /// Makes a change, and prints the webhook.
  func make(
    _ showsSecret: Bool = false, _ change: (Settings) throws(SettingError) -> WebhookChange
  ) throws {
    let settings = try readSettings()
    try reportingErrors {
      let change = try change(settings)
      let secrets = showsSecret ? WebhookSecrets(try readKeyring(settings)) : nil
      let result = try withTable(settings) { (table) throws(StoreError) in
        try table.change(change, at: .now)
      }
      switch result {
      case .changed(let webhook, let epoch):
        let secret = secrets?.text(ofWebhook: webhook.id, generation: webhook.generation)
        try write { $0.webhook(webhook, in: epoch, secret: secret) }
      case .unknown: throw unknown(change.id)
      case .tooMany:
        throw CommandFailure.exit(
          saying: "there are \(Webhook.maximumCount) webhooks already; delete one that is not used")
      case .expired(let count):
        let events = count.map { "\($0) events" } ?? "the events after this id"
        throw CommandFailure.exit(
          saying: "\(events) are no longer stored; read the list again, then use --from now")
      }
    }
  }
}

/// The members of a webhook, as arguments.
enum WebhookArguments {
  static func url(_ text: String, _ settings: Settings) throws(SettingError) -> String {
    do throws(WebhookURLError) {
      try settings.webhookTargets.check(text)
    } catch {
      let reason =
        switch error {
        case .malformed: "expected a URL such as https://example.org/hook"
        case .notAllowed:
          """
          expected https, a public address, and port 443 or from 1024; \
          --\(SettingTable.operatorListener.webhookNetworks.name) allows private networks, there also http
          """
        }
      throw SettingError(setting: "--url", value: text, reason: reason)
    }
    return text
  }

  static func types(_ text: String) throws(SettingError) -> EventTypes {
    if let types = EventTypes(text) { return types }
    let known = ListEvent.Kind.allCases.map(\.name).joined(separator: ", ")
    throw SettingError(
      setting: "--types", value: text,
      reason: "expected types or groups such as subscriber.*, separated by commas: \(known)")
  }

  static func start(_ text: String) throws(SettingError) -> WebhookStart {
    if let start = WebhookStart(text) { return start }
    throw SettingError(
      setting: "--from", value: text, reason: "expected now, earliest, or the id of an event")
  }
}

/// The `enlist webhooks create` command.
struct CreateWebhook: WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a webhook, and print it with its secret.")

  @Option(help: "Where events are sent, with https")
  var url: String
  @Option(help: "Types of events, separated by commas (default: subscriber.*)")
  var types: String?
  @Option(help: "First event: now, earliest, or that after the event of an id (default: now)")
  var from: String?
  @OptionGroup var options: WebhookCommandOptions

  func run() throws {
    try make(true) { (settings) throws(SettingError) in
      let webhook = Webhook(
        url: try WebhookArguments.url(url, settings),
        types: try types.map(WebhookArguments.types) ?? .subscribers, createdAt: .now)
      return .create(webhook, from: try from.map(WebhookArguments.start) ?? .now)
    }
  }
}

/// The `enlist webhooks list` command.
struct ListWebhooks: WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all webhooks.")

  @OptionGroup var options: WebhookCommandOptions

  func run() throws {
    let settings = try readSettings()
    try reportingErrors {
      let list = try withTable(settings) { (table) throws(StoreError) in try table.webhooks() }
      for webhook in list.webhooks { try write { $0.webhook(webhook, in: list.epoch) } }
    }
  }
}

/// The `enlist webhooks show` command.
struct ShowWebhook: WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a webhook and its last attempts.")

  /// The number of attempts that are printed.
  private static let attemptCount = 20

  @Argument(help: "The id of the webhook")
  var id: String
  @Flag(name: .customLong("with-secret"), help: "Also print the secret")
  var withSecret = false
  @OptionGroup var options: WebhookCommandOptions

  func run() throws {
    let settings = try readSettings()
    try reportingErrors {
      let (list, webhook) = try find(id, settings)
      let secrets = withSecret ? WebhookSecrets(try readKeyring(settings)) : nil
      let attempts = try withTable(settings) { (table) throws(StoreError) in
        try table.attempts(ofWebhook: id)
      }
      try write { object in
        let secret = secrets?.text(ofWebhook: id, generation: webhook.generation)
        object.webhook(webhook, in: list.epoch, secret: secret)
      }
      for attempt in attempts.prefix(Self.attemptCount) {
        try write { $0.attempt(attempt, in: list.epoch) }
      }
    }
  }
}

/// The `enlist webhooks update` command.
struct UpdateWebhook: WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change the URL or the types of a webhook.")

  @Argument(help: "The id of the webhook")
  var id: String
  @Option(help: "Where events are sent, with https")
  var url: String?
  @Option(help: "Types of events, separated by commas")
  var types: String?
  @OptionGroup var options: WebhookCommandOptions

  func run() throws {
    try make { (settings) throws(SettingError) in
      .update(
        id: id,
        url: try url.map { text throws(SettingError) in try WebhookArguments.url(text, settings) },
        types: try types.map(WebhookArguments.types))
    }
  }
}

/// The `enlist webhooks rotate` command.
struct RotateWebhook: WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Replace the secret of a webhook, and print it.",
    discussion: "The previous secret also signs for 24 hours, or for the time of --overlap.")

  @Argument(help: "The id of the webhook")
  var id: String
  @Option(help: "How long the previous secret also signs, up to 7d (default: 24h)")
  var overlap: String?
  @OptionGroup var options: WebhookCommandOptions

  func run() throws {
    try make(true) { (_) throws(SettingError) in
      .rotate(id: id, overlap: try overlap.map(Self.duration) ?? Webhook.overlap)
    }
  }

  private static func duration(_ text: String) throws(SettingError) -> Duration {
    guard let duration = DurationText.duration(of: text),
      (.zero ... .seconds(7 * 86_400)).contains(duration)
    else {
      throw SettingError(
        setting: "--overlap", value: text, reason: "expected a duration such as 0s or 24h, up to 7d"
      )
    }
    return duration
  }
}

/// The `enlist webhooks enable` command.
struct EnableWebhook: WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Send events again, from where the webhook has stopped.")

  @Argument(help: "The id of the webhook")
  var id: String
  @Option(help: "Another first event: now, earliest, or that after the event of an id")
  var from: String?
  @OptionGroup var options: WebhookCommandOptions

  func run() throws {
    try make { (_) throws(SettingError) in
      .enable(id: id, from: try from.map(WebhookArguments.start))
    }
  }
}

/// The `enlist webhooks disable` command.
struct DisableWebhook: WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Send no events until the webhook is enabled.")

  @Argument(help: "The id of the webhook")
  var id: String
  @OptionGroup var options: WebhookCommandOptions

  func run() throws {
    try make { _ in .disable(id: id) }
  }
}

/// The `enlist webhooks delete` command.
struct DeleteWebhook: WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a webhook permanently.")

  @Argument(help: "The id of the webhook")
  var id: String
  @OptionGroup var options: WebhookCommandOptions

  func run() throws {
    try make { _ in .delete(id: id) }
  }
}

/// The `enlist webhooks test` command.
struct TestWebhook: AsyncParsableCommand, WebhookCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Send a test event, and print the response.",
    discussion: "The type of the event is webhook.test.")

  @Argument(help: "The id of the webhook")
  var id: String
  @OptionGroup var options: WebhookCommandOptions

  func run() async throws {
    let settings = try readSettings()
    var prepared: (WebhookClient, WebhookRequest)?
    try reportingErrors {
      let (_, webhook) = try find(id, settings)
      let secrets = WebhookSecrets(try readKeyring(settings))
      prepared = (try settings.webhookClient(), .test(webhook, at: .now, secrets))
    }
    guard let (client, request) = prepared else { return }
    defer { client.close() }
    guard let response = await client.send(request).last() else { return }
    try reportingErrors { try write { $0.response(response) } }
    if response.result != .delivered { throw ExitCode(1) }
  }
}
