internal import ArgumentParser
internal import HTTPSignals
internal import ListStorage
internal import MailingList

/// The `enlist held` command, which shows, sends or deletes held mails.
struct Held: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Count, send or delete held mails.",
    discussion: """
      Mails are held while --mail-budget or --mail-budget-per-domain is spent. They \
      leave as confirmations come in, and are deleted after a day.
      """,
    subcommands: [CountHeld.self, ReleaseHeld.self, DropHeld.self],
    defaultSubcommand: CountHeld.self
  )
}

/// The held mails that a command concerns.
struct HeldSelection: ParsableArguments {
  @Option(help: "Only sign-ups of the last such time: 6h")
  var since: String?
  @Option(help: "Only sign-ups that are at least this old: 30m")
  var until: String?
  @Option(help: "Only sign-ups from a network: 192.0.2.0/24")
  var network: String?
  @Option(help: "Only sign-ups from pages of an origin: https://example.org")
  var origin: String?

  /// Returns the function that selects mails.
  func matching(at now: Timestamp) throws(SettingError) -> (HeldMails.Mail) -> Bool {
    let since = try time("since", since, before: now)
    let until = try time("until", until, before: now)
    let block = try network.map { text throws(SettingError) in
      guard let network = ClientNetwork(text) else {
        throw SettingError(setting: "--network", value: text, reason: "expected 192.0.2.0/24")
      }
      return network
    }
    return { [origin] mail in
      if let since, mail.createdAt < since { return false }
      if let until, mail.createdAt > until { return false }
      if let origin, mail.origin != origin { return false }
      guard let block else { return true }
      return mail.clientAddress.flatMap { ClientAddress($0) }.map(block.contains) ?? false
    }
  }

  private func time(
    _ name: String, _ text: String?, before now: Timestamp
  ) throws(SettingError) -> Timestamp? {
    guard let text else { return nil }
    guard let age = DurationText.duration(of: text) else {
      throw SettingError(setting: "--\(name)", value: text, reason: "expected a duration: 6h")
    }
    return now.adding(.zero - age)
  }
}

/// The `enlist held count` command.
struct CountHeld: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count held mails by hour, network, origin and client program.",
    discussion: """
      Prints a line for each combination, the oldest first, with tabs between its values, and - for \
      an unknown one. The network is as far as --consent-address keeps it.
      """
  )

  @OptionGroup var selection: HeldSelection
  @OptionGroup var database: DatabaseOptions

  private struct Group: Hashable {
    let hour: Int64
    let texts: [String]
  }

  func run() throws {
    try perform(selection) { held, isSelected, _ in
      var counts: [Group: Int] = [:]
      try held.forEach { mail in
        guard isSelected(mail) else { return }
        let network = mail.clientAddress.flatMap { ClientAddress($0)?.network.text }
        let texts = [network, mail.origin, mail.userAgent].map { LineText.escaped($0 ?? "-") }
        counts[Group(hour: mail.createdAt.hour, texts: texts), default: 0] += 1
      }
      let groups = counts.sorted {
        ($0.key.hour, -$0.value, $0.key.texts.joined())
          < ($1.key.hour, -$1.value, $1.key.texts.joined())
      }
      for (group, count) in groups {
        let hour = Timestamp(millisecondsSince1970: group.hour * 3_600_000)
        let values = ["\(count)", "\(hour)"] + group.texts
        try OutputStream.standardOutput.write(line: values.joined(separator: "\t"))
      }
    }
  }
}

/// The `enlist held release` command.
struct ReleaseHeld: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Send held mails, whatever the budgets.")

  @OptionGroup var selection: HeldSelection
  @OptionGroup var database: DatabaseOptions

  func run() throws { try change(.release, selection, "released") }
}

/// The `enlist held drop` command.
struct DropHeld: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Delete held mails; the people may sign up again.")

  @OptionGroup var selection: HeldSelection
  @OptionGroup var database: DatabaseOptions

  func run() throws { try change(.drop, selection, "dropped") }
}

extension ParsableCommand {
  /// Changes the selected mails, and prints their number.
  fileprivate func change(
    _ action: HeldMails.Action, _ selection: HeldSelection, _ participle: String
  ) throws {
    try perform(selection) { held, isSelected, now in
      var mails: [HeldMails.Mail] = []
      try held.forEach { if isSelected($0) { mails.append($0) } }
      let count = try held.perform(action, on: mails, at: now)
      let noun = count == 1 ? "mail" : "mails"
      try OutputStream.standardOutput.write(line: "\(participle) \(count) \(noun)")
    }
  }

  fileprivate func perform(
    _ selection: HeldSelection,
    _ body: (HeldMails, (HeldMails.Mail) -> Bool, Timestamp) throws -> Void
  ) throws {
    let settings = try readSettings()
    let now = Timestamp.now
    try reportingErrors {
      let isSelected = try selection.matching(at: now)
      let held = try HeldMails(openAccess(settings))
      defer { held.close() }
      try body(held, isSelected, now)
    }
  }
}
