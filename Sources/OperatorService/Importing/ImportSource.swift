/// The product whose export is imported.
package enum ImportSource: String, CaseIterable, Sendable {
  case enlist
  case mailchimp
  case listmonk
  case buttondown
  case substack
  case ghost
  case keila
  /// A file whose columns are named like ours, or are mapped.
  case other

  /// The name for people.
  var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// Recognizes the product by the names of its columns.
  package init(columns: [String]) {
    let names = Set(columns.map { $0.lowercased() })
    let product = Self.allCases.first { $0.signs.contains { names.isSuperset(of: $0) } }
    self = product ?? .other
  }

  /// The names of columns, in lowercase, by which a product is recognized; one set suffices.
  private var signs: [Set<String>] {
    switch self {
    case .enlist: [["address", "state", "created_at", "confirmed_at"]]
    case .mailchimp: [["member_rating", "leid"], ["member_rating", "euid"]]
    case .listmonk: [["uuid", "email", "attributes", "status"]]
    case .buttondown:
      ["email", "email_address"].flatMap { address in
        ["type", "subscriber_type"].map { [address, $0, "creation_date"] }
      }
    case .substack: [["email", "active_subscription", "email_disabled"]]
    case .ghost: [["email", "subscribed_to_emails"]]
    case .keila: [["email", "status", "external id"]]
    case .other: []
    }
  }

  /// What imports the file of a product which is only recognized, with these columns, in lowercase;
  /// `nil` for the others.
  ///
  /// Their columns also say who has left, in words of their own. Rows with other words are rejected.
  func remedy(for columns: [String]) -> String? {
    switch self {
    case .enlist, .mailchimp, .listmonk, .other: return nil
    case .buttondown:
      let address = columns.contains("email_address") ? "email_address" : "email"
      let type = columns.contains("type") ? "type" : "subscriber_type"
      return """
        --map address=\(address) --map created_at=creation_date \
        --map state=\(type),regular=subscribed,premium=subscribed,gifted=subscribed,\
        unactivated=pending,unsubscribed=unsubscribed,removed=unsubscribed,complained=complaint,\
        undeliverable=hard_bounce
        """
    case .substack:
      return """
        --map address=email --map created_at=created_at \
        --map state=email_disabled,false=subscribed,true=unsubscribed
        """
    case .ghost:
      let deleted = columns.contains("deleted_at") ? " --map unsubscribed_at=deleted_at" : ""
      return """
        --map address=email --map created_at=created_at\(deleted) \
        --map state=subscribed_to_emails,true=subscribed,false=unsubscribed
        """
    case .keila:
      return "--map address=Email --map state=Status,active=subscribed,unsubscribed=unsubscribed"
    }
  }

  /// Whether a column of this product, by its name in lowercase, never says who has left.
  func saysNothing(in column: String) -> Bool {
    self == .mailchimp
      && [
        "optin_time", "confirm_time", "unsub_campaign_title", "unsub_campaign_id", "unsub_reason",
        "unsub_reason_other", "clean_campaign_title", "clean_campaign_id",
      ].contains(column)
  }

  /// The columns of a product, in lowercase, by what they contain.
  ///
  /// Mailchimp's first column is the address, whatever its name.
  var columns: [ImportedPart: [String]] {
    switch self {
    case .enlist:
      [
        .address: ["address"], .state: ["state"], .reason: ["reason"], .locale: ["locale"],
        .createdAt: ["created_at"], .confirmedAt: ["confirmed_at"],
        .unsubscribedAt: ["unsubscribed_at"],
      ]
    case .mailchimp:
      [
        .createdAt: ["optin_time"], .confirmedAt: ["confirm_time"],
        .clientAddress: ["confirm_ip", "optin_ip"], .unsubscribedAt: ["unsub_time"],
        .suppressedAt: ["clean_time"],
      ]
    case .listmonk: [.address: ["email"], .createdAt: ["created_at"], .status: ["status"]]
    case .buttondown, .substack, .ghost, .keila, .other:
      [
        .address: ["address", "email", "e-mail", "email address", "email_address"],
        .state: ["state"], .reason: ["reason"], .locale: ["locale"],
        .createdAt: ["created_at"], .confirmedAt: ["confirmed_at"],
        .unsubscribedAt: ["unsubscribed_at"],
      ]
    }
  }
}

/// The content of a column of an import.
package enum ImportedPart: Hashable, Sendable {
  case address
  case state
  case reason
  case locale
  case createdAt
  case confirmedAt
  case unsubscribedAt
  case suppressedAt
  case clientAddress
  /// Another product's state, of which only `blocklisted` is understood.
  case status
  /// One of the owner's fields.
  case field(String)

  /// The name in `--map`; `nil` for those that only products have.
  package init?(mapped name: String, fields: [String]) {
    switch name {
    case "address": self = .address
    case "state": self = .state
    case "reason": self = .reason
    case "locale": self = .locale
    case "created_at": self = .createdAt
    case "confirmed_at": self = .confirmedAt
    case "unsubscribed_at": self = .unsubscribedAt
    case "ip": self = .clientAddress
    default:
      guard fields.contains(name) else { return nil }
      self = .field(name)
    }
  }

  /// The name in messages.
  var name: String {
    switch self {
    case .address: "address"
    case .state, .status: "state"
    case .reason: "reason"
    case .locale: "locale"
    case .createdAt: "created_at"
    case .confirmedAt: "confirmed_at"
    case .unsubscribedAt: "unsubscribed_at"
    case .suppressedAt: "suppressed_at"
    case .clientAddress: "ip"
    case .field(let name): name
    }
  }
}
