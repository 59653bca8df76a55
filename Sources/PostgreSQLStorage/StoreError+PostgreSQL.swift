internal import MailingList

extension StoreError {
  /// Converts an error of a statement.
  init(_ error: PostgreSQLError) {
    switch error {
    case .unreachable: self = .unreachable
    case .undetermined: self = .undetermined
    case .server(let state): self.init(state)
    case .malformed: self = .damaged
    }
  }

  /// Converts the code of a server's error.
  init(_ state: SQLState) {
    switch state.description {
    case "53100": self = .full
    // The timeout of the statement has passed, or another session holds a lock.
    case "55P03", "57014", "40P01": self = .locked
    case "25006": self = .readOnly
    case "XX001", "XX002": self = .damaged
    case "53300": self = .unreachable
    case let text where text.hasPrefix("08") || text.hasPrefix("57P"): self = .unreachable
    default: self = .rejected(state: state.description)
    }
  }
}
