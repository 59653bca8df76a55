/// The columns of a file that may say who has left, with what they contain.
///
/// Products name them in many ways. A column that is taken for one by mistake costs its owner a flag;
/// one that is overlooked brings people back.
package struct StatusColumns: Sendable {
  private enum Kind {
    /// Anything in the column means that the person has left, or gets no mail.
    case leaving
    /// The column has a word for each state.
    case status

    init?(_ name: String) {
      let letters = String(name.lowercased().filter { $0.isLetter || $0.isNumber })
      let isLike = { (stems: [String]) in stems.contains { letters.contains($0) } }
      if isLike([
        "unsub", "optout", "optedout", "blacklist", "blocklist", "blocked", "suppress", "bounce",
        "complain", "disabled", "inactive", "deleted", "removed", "cancel", "cleaned", "donot",
      ]) {
        self = .leaving
      } else if isLike([
        "status", "subscribertype", "subscribed", "marketing", "optin", "optedin", "consent",
        "permission", "confirmed", "enabled",
      ]) || ["state", "type", "active", "subscriber", "subscription"].contains(letters) {
        self = .status
      } else {
        return nil
      }
    }
  }

  private struct Column {
    let kind: Kind
    /// The number of rows with each text, in lowercase.
    private(set) var counts: [String: Int] = [:]
    /// Whether there are more texts than a column of states has, as in one of dates.
    private(set) var hasManyTexts = false

    init(kind: Kind) {
      self.kind = kind
    }

    mutating func add(_ text: String) {
      let key = String(text.lowercased().prefix(30))
      if counts[key] == nil, counts.count >= StatusColumns.maximumTexts {
        hasManyTexts = true
      } else {
        counts[key, default: 0] += 1
      }
    }
  }

  private static let maximumTexts = 20
  /// What says no.
  private static let denials: Set<String> = [
    "", "0", "0.0", "false", "f", "no", "n", "none", "never", "null", "na", "nan", "nat", "\\n",
    "-",
    "0000-00-00", "0000-00-00 00:00:00",
  ]
  /// The beginnings of words for people who get no mail.
  private static let leavingWords = [
    "un", "non", "not", "opt-out", "opt out", "opted", "inactive", "invalid", "dis", "block",
    "black",
    "bounce", "hard", "soft", "clean", "compl", "spam", "remov", "delet", "cancel", "suppress",
    "left", "pending", "former", "archiv",
  ]
  /// Letters for *unsubscribed* and *bounced*.
  private static let leavingLetters: Set<String> = ["u", "b"]

  private var columns: [String: Column] = [:]
  private var otherNames: Set<String> = []
  private var rowCount = 0

  package init() {}

  /// Counts the cells of a row; of a column that is missing there, the cell is empty.
  package mutating func add(_ row: some Sequence<(String, String)>) {
    rowCount += 1
    for (name, text) in row where !otherNames.contains(name) {
      if columns[name] == nil {
        guard let kind = Kind(name) else {
          otherNames.insert(name)
          continue
        }
        columns[name] = Column(kind: kind)
      }
      columns[name]?.add(text)
    }
  }

  /// Whether a column has texts, but none that `isState` takes for a state.
  func hasOnlyForeignStates(_ name: String, _ isState: (String) -> Bool) -> Bool {
    let texts = (columns[name]?.counts.keys).map { $0.filter { !$0.isEmpty } } ?? []
    return !texts.isEmpty && !texts.contains(where: isState)
  }

  /// Returns a column that may say that not all people are in the same state, and its content.
  func objection(exceptIn names: Set<String>) -> (column: String, values: String)? {
    for (name, column) in columns.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
      var counts = column.counts
      let missing = rowCount - counts.values.reduce(0, +)
      if missing > 0, !column.hasManyTexts { counts["", default: 0] += missing }
      let saysSo: Bool
      switch column.kind {
      case .leaving: saysSo = counts.keys.contains { !Self.denials.contains($0) }
      case .status:
        let says = { (text: String) in
          Self.denials.contains(text) || Self.leavingLetters.contains(text)
            || Self.leavingWords.contains { text.hasPrefix($0) }
        }
        saysSo =
          !column.hasManyTexts && counts.keys.contains { !$0.isEmpty }
          && (counts.count > 1 || counts.keys.contains(where: says))
      }
      if saysSo { return (name, Self.summary(counts, hasMore: column.hasManyTexts)) }
    }
    return nil
  }

  /// The most frequent texts, without those that look like addresses.
  private static func summary(_ counts: [String: Int], hasMore: Bool) -> String {
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let parts = sorted.filter { !$0.key.contains("@") }.prefix(5).map { text, count in
      "\(text.isEmpty ? "nothing" : text): \(count)"
    }
    return parts.joined(separator: ", ") + (hasMore || sorted.count > parts.count ? ", …" : "")
  }
}
