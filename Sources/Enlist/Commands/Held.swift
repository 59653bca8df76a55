internal import ArgumentParser
internal import HTTPSignals
internal import MailingList

struct Held: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "held",
    abstract: "Count, send or delete held mails.",
    discussion: """
      Mails are held while --mail-budget or --mail-budget-per-domain is spent. They \
      leave as confirmations come in, and are deleted after a day.
      """,
    subcommands: [Count.self, Release.self, Drop.self],
    defaultSubcommand: Count.self
  )

  /// The mails that a command concerns.
  struct Selection: ParsableArguments {
    @Option("Only sign-ups that are at most this old, such as 6h", .duration("0s", "3650d"))
    var since: Duration?
    @Option("Only sign-ups that are at least this old, such as 30m", .duration("0s", "3650d"))
    var until: Duration?
    @Option("Only sign-ups from a network, such as 192.0.2.0/24", .network)
    var network: ClientNetwork?
    @Option(help: "Only sign-ups from pages of an origin, such as https://example.org")
    var origin: String?

    func has(_ mail: HeldMails.Mail, at now: Timestamp) -> Bool {
      if let since, mail.createdAt < now.adding(.zero - since) { return false }
      if let until, mail.createdAt > now.adding(.zero - until) { return false }
      if let origin, mail.origin != origin { return false }
      guard let network else { return true }
      return mail.clientAddress.flatMap { ClientAddress($0) }.map(network.contains) ?? false
    }

    /// Changes the mails, and says how many.
    func perform(_ action: HeldMails.Action, _ settings: Settings) throws -> String {
      let held = try HeldMails(openAccess(settings))
      defer { held.close() }
      let now = Timestamp.now
      var mails: [HeldMails.Mail] = []
      try held.forEach { if has($0, at: now) { mails.append($0) } }
      return counted(try held.perform(action, on: mails, at: now), "mail")
    }
  }

  struct Count: Command {
    static let configuration = CommandConfiguration(
      commandName: "count",
      abstract: "Count held mails by hour, network, origin and client program.",
      discussion: """
        Prints a line for each combination, the oldest first, with tabs between its values, and - for \
        an unknown one. The network is as far as --consent-address keeps it.
        """
    )

    @OptionGroup var selection: Selection
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func run(_ settings: Settings) throws {
      var counts: [[String]: Int] = [:]
      let held = try HeldMails(openAccess(settings))
      defer { held.close() }
      let now = Timestamp.now
      try held.forEach { mail in
        guard selection.has(mail, at: now) else { return }
        let hour = Timestamp(millisecondsSince1970: mail.createdAt.hour * 3_600_000)
        let network = mail.clientAddress.flatMap { ClientAddress($0)?.network.text }
        counts[
          ["\(hour)", network ?? "-", mail.origin ?? "-", mail.userAgent ?? "-"], default: 0] += 1
      }
      // The hours are ISO 8601, so their order is that of time.
      for (texts, count) in counts.sorted(by: {
        ($0.key[0], -$0.value, $0.key.joined()) < ($1.key[0], -$1.value, $1.key.joined())
      }) {
        try say((["\(count)"] + texts.map { LineText.escaped($0) }).joined(separator: "\t"))
      }
    }
  }

  struct Release: Command {
    static let configuration = CommandConfiguration(
      commandName: "release",
      abstract: "Send held mails, whatever the budgets.")

    @OptionGroup var selection: Selection
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func run(_ settings: Settings) throws {
      try say("released \(selection.perform(.release, settings))")
    }
  }

  struct Drop: Command {
    static let configuration = CommandConfiguration(
      commandName: "drop",
      abstract: "Delete held mails; the people may sign up again.")

    @OptionGroup var selection: Selection
    @OptionGroup var flags: SettingFlags<DatabaseSettings>

    func run(_ settings: Settings) throws {
      try say("dropped \(selection.perform(.drop, settings))")
    }
  }
}

extension SettingKind<ClientNetwork> {
  fileprivate static let network = Self("a network such as 192.0.2.0/24") { ClientNetwork($0) }
}
