internal import ArgumentParser
internal import EmailAddresses
internal import HTTPSignals
internal import MailingList
internal import Security
internal import Signals

struct Export: Command {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the subscribers to standard output.",
    discussion: """
      In CSV, a cell that a spreadsheet could run as a formula is prefixed with an apostrophe. The \
      command works while the service is running.
      """
  )

  @Option(
    "Output format: csv, or ndjson (one JSON object per line) (default: csv, with --consents ndjson)",
    .choice)
  var format: ExportFormat?
  @Flag(help: "Add what each person agreed to, when and by what means; the format is then ndjson")
  var consents = false
  @Option(
    "Only subscribers in this state: pending, subscribed, unsubscribed or suppressed",
    .named(\.name))
  var state: Subscriber.State?
  @Flag(help: "Add each person's link to leave, valid as long as the secret; requires --public-url")
  var links = false
  @OptionGroup var flags: SettingFlags<ExportSettings>

  func validate() throws {
    if format == .csv, consents { throw ValidationError("--consents requires --format ndjson.") }
  }

  func run(_ settings: Settings) async throws {
    var export = SubscriberExport(
      list: try openReader(settings), format: format ?? (consents ? .ndjson : .csv))
    export.fields = settings.fields
    export.hasConsents = consents
    if links { export.link = try link(settings) }
    if let state { export.includes = { $0.state == state } }
    let missing = try await export.write()
    guard !missing.isEmpty else { return }
    let all = settings.fields.map(\.name) + missing.sorted()
    CommandFailure.warn(
      "left out \(missing.sorted().joined(separator: ", ")): add --fields \(all.joined(separator: ","))"
    )
  }

  private func link(_ settings: Settings) throws -> @Sendable (Subscriber) -> String {
    guard let publicURL = settings.publicURL else {
      throw SettingError(
        setting: "--public-url",
        reason: "--links requires the URL with which the links begin: https://list.example.org")
    }
    let keys = MailKeys(try readKeyring(settings))
    return { subscriber in
      let createdAt = subscriber.createdAt.millisecondsSince1970
      let reference = SubscriberReference(id: subscriber.id, createdAt: createdAt)
      return "\(publicURL)/unsubscribe/\(keys.token(of: reference).text)"
    }
  }
}

struct Show: Command {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print what the list has about people.",
    discussion: """
      Prints one JSON object per person, with the state, the dates, the consents and the mails. The \
      command works while the service is running.
      """
  )

  @Argument(help: "Addresses to show; - reads them from standard input, one per line")
  var addresses: [String]
  @OptionGroup var flags: SettingFlags<PeopleSettings>

  func run(_ settings: Settings) async throws {
    let addresses = try Addresses.read(addresses, effect: "shown")
    // Only the times of mails need the secret. What else prevents reading it prevents all reading.
    let keys = try? MailKeys(readKeyring(settings))
    let reader = try openReader(settings)
    var missing = 0
    var seen: Set<String> = []
    for address in addresses where seen.insert(address.key).inserted {
      let person = try await reader.read { (list) throws(StoreError) in
        try list.person(address, keys)
      }.last()
      guard let person = person ?? nil else {
        missing += 1
        continue
      }
      var export = SubscriberExport(list: reader, format: .ndjson)
      export.fields = person.subscriber.storedFields.keys.sorted().map { FormField(name: $0) }
      try await export.write(person)
    }
    guard missing > 0 else { return }
    throw Failure("\(counted(missing, "address is", "addresses are")) not on the list")
  }
}
