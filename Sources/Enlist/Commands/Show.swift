internal import ArgumentParser
internal import EmailAddresses
internal import ListStorage
internal import MailingList
internal import Signals

/// The `enlist show` command, which prints what the list has about people.
struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print what the list has about people.",
    discussion: """
      Prints one JSON object per person, with the state, the dates, the consents and the mails. The \
      command works while the service is running.
      """
  )

  @Argument(help: "Addresses to show; - reads them from standard input, one per line")
  var addresses: [String]
  @OptionGroup var secret: SecretOptions
  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let settings = try readSettings()
    try await reportingErrors {
      let addresses = try AddressArguments.read(addresses, effect: "shown")
      // Only the times of mails need the secret. What else prevents reading it prevents all reading.
      let keys = try? readMailKeys(settings)
      let reader = try openReader(settings)
      var missing = 0
      var keysSeen: Set<String> = []
      for address in addresses where keysSeen.insert(address.key).inserted {
        let person = try await reader.read { (list) throws(StoreError) in
          try list.person(address, keys)
        }.last()
        guard let person = person ?? nil else {
          missing += 1
          continue
        }
        let list = OnePerson(subscriber: person.subscriber)
        var export = SubscriberExport(reader: list, format: .ndjson)
        export.consents = reader
        export.fields = settings.fields
        export.person = person
        try await export.write(to: .standardOutput)
      }
      guard missing > 0 else { return }
      throw CommandFailure.exit(
        saying: "\(missing) \(missing == 1 ? "address is" : "addresses are") not on the list")
    }
  }
}

/// A list of one person.
private struct OnePerson: SubscriberReader {
  let subscriber: Subscriber

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    .just(id ?? .min < subscriber.id ? [subscriber] : [])
  }
}
