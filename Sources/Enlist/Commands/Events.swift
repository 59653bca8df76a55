internal import ArgumentParser
internal import HTTPSignals
internal import MailingList
internal import OperatorService
internal import Signals

/// The `enlist events` command, which prints the changes of the list.
struct Events: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the changes of the list, or follow them.",
    discussion: """
      Prints one JSON object per event, the oldest first, as GET /api/events sends it. If the events \
      after an id are no longer stored, it prints "reset" and then the list.
      """
  )

  /// The time between two looks for new events.
  private static let interval: Duration = .seconds(1)

  @Option(help: "Only what comes after the last id that you have, also that of a snapshot")
  var after: String?
  @Flag(help: "Print the whole list first, then what has changed meanwhile")
  var snapshot = false
  @Option(help: "Only these types, separated by commas, such as subscriber.confirmed or mail.*")
  var types: String?
  @Flag(help: "Wait for more events, until the command is interrupted")
  var follow = false
  @OptionGroup var database: DatabaseOptions

  func validate() throws {
    if after != nil, snapshot {
      throw ValidationError("--after and --snapshot exclude each other.")
    }
    if types.map(ListEvent.Kind.kinds) == .some(nil) {
      throw ValidationError("--types has a type that does not exist.")
    }
  }

  func run() async throws {
    let settings = try readSettings()
    try await reportingErrors {
      let kinds = types.flatMap(ListEvent.Kind.kinds) ?? Set(ListEvent.Kind.allCases)
      let feed = ListFeed(try openReader(settings), kinds: kinds, limit: 500)
      var place = after.map(FeedPlace.init) ?? (snapshot ? FeedPlace("snapshot") : .beginning)
      while let part = try await feed.read(from: place).last() {
        try OutputStream.standardOutput.write(part.entries.flatMap { Array($0.line.utf8) })
        place = part.place
        guard part.isComplete else { continue }
        guard follow else { return }
        try await Task.sleep(for: Self.interval)
      }
    }
  }
}

extension ListFeed.Part.Entry {
  /// The entry as a line of JSON; what is not an event looks like one.
  fileprivate var line: String {
    let data = String(decoding: json(escaping: .line).bytes, as: UTF8.self)
    switch item {
    case .event: return data + "\n"
    case .reset, .begin, .subscriber, .end, .position:
      return "{\"type\":\"\(name)\",\"id\":\"\(place)\",\"data\":\(data)}\n"
    }
  }
}
