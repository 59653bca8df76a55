internal import MailingList

extension MailBudget {
  /// Parses a number, a slash and a duration of whole hours: `500/1d`; `nil` if the text is invalid.
  init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].allSatisfy({ $0.isASCII && $0.isNumber }),
      let count = Int(parts[0]), (1...1_000_000).contains(count),
      let time = DurationText.duration(of: parts[1]),
      (.seconds(3600)...MailBudgets.countedPeriod).contains(time),
      time.components.seconds.isMultiple(of: 3600)
    else { return nil }
    self.init(count: count, per: time)
  }
}
