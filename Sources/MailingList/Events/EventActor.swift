/// The person or program that changed the list.
package enum EventActor: Hashable, Sendable {
  /// Anyone who filled in the form.
  case form
  /// The owner of the address, with a link or a code.
  case owner
  /// The service itself.
  case system
  /// A command of the operator.
  case command
  /// A program with a key of the API.
  case key(id: String)

  /// The text in streams, pages and webhooks.
  package var text: String {
    switch self {
    case .form: "form"
    case .owner: "owner"
    case .system: "system"
    case .command: "cli"
    case .key(let id): "key:\(id)"
    }
  }

  /// Parses a text; `nil` if no release has written it.
  package init?(_ text: String) {
    switch text {
    case "form": self = .form
    case "owner": self = .owner
    case "system": self = .system
    case "cli": self = .command
    case _ where text.hasPrefix("key:"): self = .key(id: String(text.dropFirst(4)))
    default: return nil
    }
  }
}
