internal import MailingList

/// The columns of a file that may say who has left, with what they contain.
///
/// Products name them in many ways. A column that is taken for one by mistake costs its owner a flag;
/// one that is overlooked brings people back.
package struct StatusColumns: Sendable {
  /// A column that may say that not all people are in the same state.
  package struct Objection: Hashable, Sendable {
    package let column: String
    /// What the column contains, with the numbers of rows.
    package let values: String
    /// Whether all that it contains are dates of leaving.
    package let hasDates: Bool
  }

  private enum Kind {
    /// Anything in the column means that the person has left, or gets no mail.
    case leaving
    /// The column has a word for each state.
    case status
    /// The name says nothing, but a cell says that a person has left.
    case telling

    /// Creates the kind of a column; `nil` for a name that says nothing about mail, as that of a text
    /// message, or of the IP address from which somebody agreed.
    init?(_ name: String) {
      let letters = String(name.lowercased().filter { $0.isLetter || $0.isNumber })
      let isLike = { (stems: [String]) in stems.contains { letters.contains($0) } }
      guard !letters.hasPrefix("sms"), !letters.hasPrefix("whatsapp"), !letters.hasSuffix("ip")
      else { return nil }
      if isLike(Self.leavingStems) || letters.hasPrefix("left") || letters.hasSuffix("left") {
        self = .leaving
      } else if isLike(Self.statusStems) || Self.statusNames.contains(letters) {
        self = .status
      } else {
        return nil
      }
    }

    // In English, German, French, Spanish and Chinese.

    private static let leavingStems = [
      "unsub", "optout", "optedout", "blacklist", "blocklist", "blocked", "suppress", "bounce",
      "complain", "disabled", "inactiv", "deactiv", "deleted", "removed", "cancel", "cleaned",
      "donot", "undeliver", "spam", "junk", "archiv",
      "abgemeldet", "abmeld", "abbestell", "austrag", "ausgetragen", "gesperrt", "sperr",
      "widerruf",
      "widersp", "unzustellbar", "gelöscht", "geloescht", "inaktiv", "deaktiv",
      "désabon", "desabon", "désinscri", "desinscri", "bloqu", "supprim", "rejet", "désactiv",
      "plainte", "baja", "desuscri", "rebot", "elimin", "desactiv", "queja",
      "退订", "取消", "退信", "黑名单", "屏蔽", "投诉", "删除", "停用", "禁用",
    ]
    private static let statusStems = [
      "status", "subscribertype", "subscribed", "marketing", "optin", "optedin", "consent",
      "permission", "confirmed", "enabled", "zustand", "abonniert", "einwilligung", "bestätigt",
      "statut", "abonné", "consentement", "confirmé", "estado", "suscrito", "consentimiento",
      "confirmado", "状态", "订阅",
    ]
    private static let statusNames: Set = [
      "state", "type", "active", "isactive", "subscriber", "subscription", "aktiv", "actif",
      "activo", "état", "etat",
    ]
  }

  private struct Column {
    let kind: Kind
    /// The number of rows with each text, in lowercase.
    var counts: [String: Int] = [:]
    /// Whether there are more texts than a column of states has, as in one of dates.
    var hasManyTexts = false

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
  /// What means in any column that a person has left.
  private static let leavingTexts: Set = [
    "unsubscribed", "unsubscribe", "opted out", "opted-out", "opt-out", "bounced", "blocklisted",
    "blacklisted", "suppressed", "complained", "abgemeldet", "abbestellt", "ausgetragen",
    "désabonné", "désabonnée", "désinscrit", "désinscrite", "baja", "desuscrito", "desuscrita",
    "退订", "已退订",
  ]
  /// What says no.
  private static let denials: Set<String> = [
    "", "0", "0.0", "false", "f", "no", "n", "none", "never", "null", "na", "nan", "nat", "\\n",
    "-", "nein", "non", "否", "无",
    "0000-00-00", "0000-00-00 00:00:00",
  ]
  /// The beginnings of words for people who get no mail.
  private static let leavingWords = [
    "un", "non", "not", "opt-out", "opt out", "opted", "inactive", "invalid", "dis", "block",
    "black",
    "bounce", "hard", "soft", "clean", "compl", "spam", "remov", "delet", "cancel", "suppress",
    "left", "pending", "former", "archiv", "junk", "abgem", "abbest", "ausge", "gesperrt",
    "inaktiv", "gelöscht", "dés", "bloq", "inactif", "supprim", "baja", "desusc", "elimin", "退",
    "取消", "停",
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
    for (name, text) in row {
      let isTelling = text.utf8.count <= 16 && Self.leavingTexts.contains(text.lowercased())
      if columns[name] == nil {
        let kind = otherNames.contains(name) ? nil : Kind(name)
        guard let kind = kind ?? (isTelling ? .telling : nil) else {
          otherNames.insert(name)
          continue
        }
        columns[name] = Column(kind: kind)
      }
      // What else is in a column whose name says nothing does not matter.
      if columns[name]?.kind != .telling || isTelling { columns[name]?.add(text) }
    }
  }

  /// Whether a column has texts, but none that `isState` takes for a state.
  func hasOnlyForeignStates(_ name: String, _ isState: (String) -> Bool) -> Bool {
    let texts = (columns[name]?.counts.keys).map { $0.filter { !$0.isEmpty } } ?? []
    return !texts.isEmpty && !texts.contains(where: isState)
  }

  /// Returns the columns that may say that not all people are in the same state.
  func objections(exceptIn names: Set<String>) -> [Objection] {
    columns.sorted { $0.key < $1.key }.compactMap { name, column in
      guard !names.contains(name) else { return nil }
      var counts = column.counts
      let missing = rowCount - counts.values.reduce(0, +)
      if missing > 0, !column.hasManyTexts, column.kind != .telling {
        counts["", default: 0] += missing
      }
      let hasDates =
        column.kind == .leaving && counts.keys.contains(where: Self.isDate)
        && counts.keys.allSatisfy { Self.denials.contains($0) || Self.isDate($0) }
      let saysSo: Bool
      switch column.kind {
      case .telling: saysSo = true
      case .leaving: saysSo = counts.keys.contains { !Self.denials.contains($0) }
      case .status where counts.keys.allSatisfy(Self.isDate): saysSo = false
      case .status:
        let says = { (text: String) in
          Self.denials.contains(text) || Self.leavingLetters.contains(text)
            || Self.leavingWords.contains { text.hasPrefix($0) }
        }
        saysSo =
          !column.hasManyTexts && counts.keys.contains { !$0.isEmpty }
          && (counts.count > 1 || counts.keys.contains(where: says))
      }
      guard saysSo else { return nil }
      let values = Self.summary(counts, hasMore: column.hasManyTexts)
      return Objection(column: name, values: values, hasDates: hasDates)
    }
  }

  /// Whether a text is like a date in any format.
  private static func isDate(_ text: String) -> Bool {
    text.count(where: \.isNumber) >= 6 && text.contains { "-./:年".contains($0) }
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

extension Timestamp {
  /// Parses a time as spreadsheets and other products write it; `nil` if it is none, or ambiguous.
  ///
  /// Beside the formats of ``init(importing:)``: slashes after a year, hours of one digit, AM and PM,
  /// and UTC or GMT, also before an offset in hours, such as `2021/03/04 5:06:07 PM GMT+1`.
  init?(ofProduct text: String) {
    if let time = Timestamp(importing: text) {
      self = time
      return
    }
    var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    var offset = ""
    if let last = words.last, last.hasPrefix("UTC") || last.hasPrefix("GMT") {
      words.removeLast()
      let hours = last.dropFirst(4)
      offset = last.dropFirst(3).prefix(1) + Self.padded(hours)
    }
    if let half = words.last?.uppercased(), half == "AM" || half == "PM", words.count == 3 {
      words.removeLast()
      let hour = words[1].prefix { $0 != ":" }
      guard let number = Int(hour), (1...12).contains(number) else { return nil }
      words[1] = "\(number % 12 + (half == "PM" ? 12 : 0))" + words[1].dropFirst(hour.count)
    }
    guard let day = words.first else { return nil }
    let parts = day.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 3, parts[0].count == 4 {
      words[0] = "\(parts[0])-\(Self.padded(parts[1]))-\(Self.padded(parts[2]))"
    }
    if words.count == 2, words[1].dropFirst().first == ":" { words[1] = "0" + words[1] }
    self.init(importing: words.joined(separator: " ") + offset)
  }

  private static func padded(_ digits: Substring) -> String {
    digits.count == 1 ? "0\(digits)" : String(digits)
  }
}
