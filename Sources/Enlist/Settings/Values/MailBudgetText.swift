internal import MailingList

extension MailBudget {
  /// Parses a number, a slash and a duration of whole hours: `500/1d`; `nil` if the text is invalid.
  init?(_ text: String) {
    let periods = .seconds(3600)...MailBudgets.countedPeriod
    guard let (count, time) = DurationText.count(of: text, within: 1...1_000_000, per: periods),
      time.components.seconds.isMultiple(of: 3600)
    else { return nil }
    self.init(count: count, per: time)
  }
}
