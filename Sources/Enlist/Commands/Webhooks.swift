internal import ArgumentParser
internal import Delivery
internal import HTTPSignals
internal import MailingList
internal import Services
internal import Security
internal import Signals

struct Webhooks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhooks",
    abstract: "Manage webhooks, which get the events of the list.",
    subcommands: [
      Create.self, List.self, Show.self, Update.self, Rotate.self, Enable.self, Disable.self,
      Test.self, Delete.self,
    ]
  )

  struct Create: WebhookChanging {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Create a webhook, and print it with its secret.")
    static let showsSecret = true

    @Option(help: "Where events are sent, with https")
    var url: String
    @Option("Types of events, separated by commas (default: subscriber.*)", .eventTypes)
    var types: EventTypes?
    @Option("First event: now, earliest, or after the id of one (default: now)", .webhookStart)
    var from: WebhookStart?
    @OptionGroup var flags: SettingFlags<WebhookSettings>

    func change(_ settings: Settings) throws -> WebhookChange {
      let url = try settings.checkedWebhookURL(url)
      let webhook = Webhook(url: url, types: types ?? .subscribers, createdAt: .now)
      return .create(webhook, from: from ?? .now)
    }
  }

  struct List: Command {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List all webhooks.")

    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func run(_ settings: Settings) throws {
      let list = try settings.withWebhooks { (table) throws(StoreError) in try table.webhooks() }
      for webhook in list.webhooks {
        try say(JSONText.line { $0.webhook(webhook, in: list.epoch) })
      }
    }
  }

  struct Show: Command {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print a webhook and its last attempts.")

    @Argument(help: "The id of the webhook")
    var id: String
    @Flag(help: "Also print the secret")
    var withSecret = false
    @OptionGroup var flags: SettingFlags<SecretSettings>

    func run(_ settings: Settings) throws {
      let (list, webhook) = try settings.webhook(id)
      let secrets = withSecret ? WebhookSecrets(try readKeyring(settings)) : nil
      let secret = secrets?.text(ofWebhook: id, generation: webhook.generation)
      let attempts = try settings.withWebhooks { (table) throws(StoreError) in
        try table.attempts(ofWebhook: id)
      }
      try say(JSONText.line { $0.webhook(webhook, in: list.epoch, secret: secret) })
      for attempt in attempts.prefix(20) {
        try say(JSONText.line { $0.attempt(attempt, in: list.epoch) })
      }
    }
  }

  struct Update: WebhookChanging {
    static let configuration = CommandConfiguration(
      commandName: "update",
      abstract: "Change the URL or the types of a webhook.")

    @Argument(help: "The id of the webhook")
    var id: String
    @Option(help: "Where events are sent, with https")
    var url: String?
    @Option("Types of events, separated by commas", .eventTypes)
    var types: EventTypes?
    @OptionGroup var flags: SettingFlags<WebhookSettings>

    func change(_ settings: Settings) throws -> WebhookChange {
      .update(id: id, url: try url.map(settings.checkedWebhookURL), types: types)
    }
  }

  struct Rotate: WebhookChanging {
    static let configuration = CommandConfiguration(
      commandName: "rotate",
      abstract: "Replace the secret of a webhook, and print it.",
      discussion: "The previous secret also signs for 24 hours, or for the time of --overlap.")
    static let showsSecret = true

    @Argument(help: "The id of the webhook")
    var id: String
    @Option("How long the previous secret also signs (default: 24h)", .duration("0s", "7d"))
    var overlap: Duration?
    @OptionGroup var flags: SettingFlags<SecretSettings>

    func change(_ settings: Settings) -> WebhookChange {
      .rotate(id: id, overlap: overlap ?? Webhook.overlap)
    }
  }

  struct Enable: WebhookChanging {
    static let configuration = CommandConfiguration(
      commandName: "enable",
      abstract: "Send events again, from where the webhook has stopped.")

    @Argument(help: "The id of the webhook")
    var id: String
    @Option("Another first event: now, earliest, or after the id of one", .webhookStart)
    var from: WebhookStart?
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func change(_ settings: Settings) -> WebhookChange { .enable(id: id, from: from) }
  }

  struct Disable: WebhookChanging {
    static let configuration = CommandConfiguration(
      commandName: "disable",
      abstract: "Send no events until the webhook is enabled.")

    @Argument(help: "The id of the webhook")
    var id: String
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func change(_ settings: Settings) -> WebhookChange { .disable(id: id) }
  }

  struct Delete: WebhookChanging {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete a webhook permanently.")

    @Argument(help: "The id of the webhook")
    var id: String
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func change(_ settings: Settings) -> WebhookChange { .delete(id: id) }
  }

  struct Test: Command {
    static let configuration = CommandConfiguration(
      commandName: "test",
      abstract: "Send a test event, and print the response.",
      discussion: """
        The type of the event is webhook.test. Give --webhook-networks and --webhook-ca as the \
        service has them.
        """)

    @Argument(help: "The id of the webhook")
    var id: String
    @OptionGroup var flags: SettingFlags<WebhookSettings>

    func run(_ settings: Settings) async throws {
      let (_, webhook) = try settings.webhook(id)
      let secrets = WebhookSecrets(try readKeyring(settings))
      let client = try settings.webhookClient()
      defer { client.close() }
      let request = WebhookRequest.test(webhook, at: .now, secrets)
      try report(await client.send(request).last())
    }

    /// Prints the response; `nil` if the request could not be sent.
    func report(_ response: WebhookResponse?) throws {
      guard let response else {
        throw Failure("the request to the webhook \(id) has ended without a response")
      }
      try say(JSONText.line { $0.response(response) })
      switch response.result {
      case .delivered: break
      case .blocked:
        throw Failure(
          "blocked: the address is not public; give --webhook-networks as the service has it")
      case .tls:
        throw Failure(
          "the certificate is not verified; give --webhook-ca as the service has it, if it does")
      case .status, .timeout, .connect: throw ExitCode(1)
      }
    }
  }
}

/// A command that makes a change, and prints the webhook.
protocol WebhookChanging: Command {
  static var showsSecret: Bool { get }
  func change(_ settings: Settings) throws -> WebhookChange
}

extension WebhookChanging {
  static var showsSecret: Bool { false }

  func run(_ settings: Settings) throws {
    let change = try change(settings)
    let secrets = Self.showsSecret ? WebhookSecrets(try readKeyring(settings)) : nil
    let result = try settings.withWebhooks { (table) throws(StoreError) in
      try table.change(change, at: .now)
    }
    switch result {
    case .changed(let webhook, let epoch):
      let secret = secrets?.text(ofWebhook: webhook.id, generation: webhook.generation)
      try say(JSONText.line { $0.webhook(webhook, in: epoch, secret: secret) })
    case .unknown: throw Failure.unknownWebhook(change.id)
    case .tooMany:
      throw Failure(
        "there are \(Webhook.maximumCount) webhooks already; delete one that is not used")
    case .expired(let count):
      let events = count.map { "\($0) events" } ?? "the events after this id"
      throw Failure("\(events) are no longer stored; read the list again, then use --from now")
    }
  }
}

extension Failure {
  fileprivate static func unknownWebhook(_ id: String) -> Failure {
    Failure("there is no webhook \(id); enlist webhooks list shows all")
  }
}

extension Settings {
  fileprivate func withWebhooks<Value>(
    _ body: (WebhookTable) throws(StoreError) -> Value
  ) throws -> Value {
    let access = try openAccess(self)
    defer { access.close() }
    return try access.perform { (session) throws(StoreError) in try body(WebhookTable(session)) }
  }

  fileprivate func webhook(_ id: String) throws -> (WebhookList, Webhook) {
    let list = try withWebhooks { (table) throws(StoreError) in try table.webhooks() }
    guard let webhook = list.webhooks.first(where: { $0.id == id }) else {
      throw Failure.unknownWebhook(id)
    }
    return (list, webhook)
  }

  fileprivate func checkedWebhookURL(_ text: String) throws(SettingError) -> String {
    do throws(WebhookURLError) {
      return try webhookTargets.check(text)
    } catch {
      let reason =
        switch error {
        case .malformed: "expected a URL such as https://example.org/hook"
        case .notAllowed:
          """
          expected https, a public address, and port 443 or from 1024; \
          --webhook-networks allows private networks, there also http
          """
        }
      throw SettingError(setting: "--url", value: text, reason: reason)
    }
  }
}

extension SettingKind<EventTypes> {
  static let eventTypes = Self(
    "types or groups such as subscriber.*, separated by commas: "
      + ListEvent.Kind.allCases.map(\.name).joined(separator: ", ")
  ) { EventTypes($0) }
}

extension SettingKind<WebhookStart> {
  static let webhookStart = Self("now, earliest, or the id of an event") { WebhookStart($0) }
}
