internal import ArgumentParser
internal import EmailAddresses
internal import HTTPSignals
internal import MailingList
internal import Services
internal import Signals

struct Count: Command {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Print the number of people in each state.",
    discussion: """
      Prints one line per state, such as "subscribed 1204". The command reads the whole list, and \
      works while the service is running.
      """
  )

  @OptionGroup var flags: SettingFlags<DatabaseSettings>

  func run(_ settings: Settings) async throws {
    let counts = try await openReader(settings).subscriberCounts().last() ?? [:]
    for state in Subscriber.State.allCases { try say("\(state.name) \(counts[state] ?? 0)") }
  }
}

struct Suppress: Command {
  static let configuration = CommandConfiguration(
    commandName: "suppress",
    abstract: "Suppress addresses, so that they get no mail.",
    discussion: """
      An address that is not on the list is suppressed should it be signed up; a hard_bounce ends \
      when its owner confirms. If an address is invalid, nothing changes without --skip-invalid.
      """
  )

  @Argument(help: "Addresses to suppress; - reads them from standard input, one per line")
  var addresses: [String]
  @Option(
    "The reason: operator, complaint, objected or hard_bounce (default: operator)", .named(\.name))
  var reason: Suppression?
  @Flag(help: "Leave out invalid addresses, with a warning")
  var skipInvalid = false
  @OptionGroup var flags: SettingFlags<SecretSettings>

  func run(_ settings: Settings) throws {
    let list = try Addresses.read(addresses, effect: "suppressed", skipsInvalid: skipInvalid)
    let suppressor = try ListCommands(openAccess(settings), keyring: settings.secret)
    defer { suppressor.close() }
    try say(Self.summary(of: suppressor.suppress(list, reason ?? .operator, at: .now)))
  }

  /// "suppressed 2 addresses, 1 of them not on the list".
  static func summary(of results: [SuppressionResult]) -> String {
    let unlisted = results.count { $0 == .unlisted }
    let already = results.count { $0 == .already }
    return "suppressed \(counted(results.count - already, "address", "addresses"))"
      + (unlisted > 0 ? ", \(unlisted) of them not on the list" : "")
      + (already > 0 ? "; \(already) already suppressed" : "")
  }
}

struct Erase: Command {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase subscribers and their consents.",
    discussion: """
      Deletes the subscribers and all that belongs to them, and rewrites the database, while the \
      service is running. If an address is invalid, nothing is erased without --skip-invalid.
      """
  )

  @Argument(help: "Addresses to erase; - reads them from standard input, one per line")
  var addresses: [String]
  @Flag(help: "Print the counts without erasing anything")
  var dryRun = false
  @Option(
    "What the hashes of the addresses prevent: imports (default), everything or nothing", .choice)
  var suppress: ErasureTrace?
  @Flag(help: "Leave out invalid addresses, with a warning")
  var skipInvalid = false
  @OptionGroup var flags: SettingFlags<SecretSettings>

  func run(_ settings: Settings) throws {
    let list = try Addresses.read(addresses, effect: "erased", skipsInvalid: skipInvalid)
    let eraser = try ListCommands(openAccess(settings), keyring: settings.secret)
    defer { eraser.close() }
    let counts =
      dryRun ? try eraser.count(list) : try eraser.erase(list, leaving: suppress ?? .imports)
    let stay = counted(counts.suppressions, "suppression stays", "suppressions stay")
    try say(
      "\(dryRun ? "would erase" : "erased") \(counted(counts.subscribers, "subscriber"))"
        + " and \(counted(counts.consents, "consent"))"
        + (counts.suppressions == 0 ? "" : "; \(stay)"))
  }
}

struct Events: Command {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Print the changes of the list, or follow them.",
    discussion: """
      Prints one JSON object per event, the oldest first, as GET /api/events sends it. If the events \
      after an id are no longer stored, it prints "reset" and then the list.
      """
  )

  @Option(help: "Only what comes after the last id that you have, also that of a snapshot")
  var after: String?
  @Flag(help: "Print the whole list first, then what has changed meanwhile")
  var snapshot = false
  @Option(
    "Only these types, separated by commas, such as subscriber.confirmed or mail.*", .eventKinds)
  var types: Set<ListEvent.Kind>?
  @Flag(help: "Wait for more events, until the command is interrupted")
  var follow = false
  @OptionGroup var flags: SettingFlags<DatabaseSettings>

  func validate() throws {
    if after != nil, snapshot {
      throw ValidationError("--after and --snapshot exclude each other.")
    }
  }

  func run(_ settings: Settings) async throws {
    let kinds = types ?? Set(ListEvent.Kind.allCases)
    let feed = ListFeed(try openReader(settings), kinds: kinds, limit: 500)
    var place = after.map(FeedPlace.init) ?? (snapshot ? FeedPlace("snapshot") : .beginning)
    while let part = try await feed.read(from: place).last() {
      try OutputStream.standardOutput.write(part.entries.map(\.line).joined().utf8)
      place = part.place
      guard part.isComplete else { continue }
      guard follow else { return }
      try await Task.sleep(for: .seconds(1))
    }
  }
}

extension SettingKind<Set<ListEvent.Kind>> {
  fileprivate static let eventKinds = Self(SettingKind<EventTypes>.eventTypes.expected) {
    ListEvent.Kind.kinds(named: $0)
  }
}

extension ListFeed.Part.Entry {
  /// The entry as a line of JSON; what is not an event looks like one.
  fileprivate var line: String {
    let data = String(decoding: json(escaping: .line).bytes, as: UTF8.self)
    return switch item {
    case .event: data + "\n"
    case .reset, .begin, .subscriber, .end, .position:
      "{\"type\":\"\(name)\",\"id\":\"\(place)\",\"data\":\(data)}\n"
    }
  }
}

/// The addresses that a command receives as arguments, or on standard input for `-`.
enum Addresses {
  /// The maximum number of invalid addresses of which each is reported.
  private static let maximumReports = 20

  /// Validates all addresses before the command changes anything, at the more lenient level.
  ///
  /// An error names the positions of addresses, because standard error often goes to a log.
  ///
  /// - Parameters:
  ///   - effect: What an error says has not happened.
  ///   - skipsInvalid: Whether `--skip-invalid` is set; `nil` for a command that has no such flag.
  static func read(
    _ arguments: [String], effect: String, skipsInvalid: Bool? = nil
  ) throws -> [EmailAddress] {
    var list: [EmailAddress] = []
    var invalidCount = 0
    var reports: [String] = []
    func add(_ text: String, _ source: String) {
      do throws(EmailAddressError) {
        list.append(try EmailAddress(validating: text, level: .test))
      } catch {
        invalidCount += 1
        guard invalidCount <= maximumReports else { return }
        reports.append("\(source) is invalid: \(error.reason.message)")
      }
    }
    for (index, argument) in arguments.enumerated() {
      guard argument == "-" else {
        add(argument, "address \(index + 1)")
        continue
      }
      var (input, number) = (InputBytes(), 0)
      while var line = try input.nextLine(maximumCount: 2_000) {
        number += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if !line.isEmpty { add(String(decoding: line, as: UTF8.self), "line \(number)") }
      }
    }
    if invalidCount > maximumReports {
      reports.append("\(invalidCount - maximumReports) more are invalid.")
    }
    if skipsInvalid == true {
      for report in reports { CommandFailure.warn(report) }
    } else if !reports.isEmpty {
      let remedy = skipsInvalid == nil ? "" : " To leave out what is invalid, add --skip-invalid."
      throw Failure("nothing was \(effect): \(reports.joined(separator: "\n"))\(remedy)")
    }
    return list
  }
}
