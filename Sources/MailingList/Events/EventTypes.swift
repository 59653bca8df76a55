/// The types of events that a webhook gets.
package struct EventTypes: Hashable, Sendable {
  /// Every change of a subscriber.
  package static let subscribers = EventTypes(
    text: "subscriber.*",
    kinds: Set(ListEvent.Kind.allCases.filter { $0.name.hasPrefix("subscriber.") }))

  /// Names of types and groups of them, separated by commas.
  package let text: String
  private let kinds: Set<ListEvent.Kind>

  private init(text: String, kinds: Set<ListEvent.Kind>) {
    self.text = text
    self.kinds = kinds
  }

  /// Reads names and groups, such as `subscriber.confirmed,mail.*`; `nil` if one is unknown.
  package init?(_ text: String) {
    guard text.utf8.count <= 500, let kinds = ListEvent.Kind.kinds(named: text) else { return nil }
    self.init(text: text, kinds: kinds)
  }

  package func includes(_ kind: ListEvent.Kind) -> Bool { kinds.contains(kind) }
}
