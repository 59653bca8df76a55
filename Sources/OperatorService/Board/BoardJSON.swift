internal import HTTPSignals
internal import MailingList

extension BoardNumbers {
  /// The numbers of the page, for programs with a session.
  var json: JSONText {
    let condition = BoardCondition(self)
    var json = JSONText()
    json.object { object in
      object.member("at", "\(now)")
      object.member("state", condition.level.rawValue)
      object.member("sentence", condition.text)
      object.object("subscribers") { states in
        states.member("pending", number: subscribers?[.pending])
        states.member("subscribed", number: subscribers?[.subscribed])
        states.member("unsubscribed", number: subscribers?[.unsubscribed])
        states.member("suppressed", number: subscribers?[.suppressed])
      }
      object.object("mails") { mails in
        mails.member("waiting", number: backlog?.waiting)
        mails.member("held", number: backlog?.held)
        mails.member("oldest", backlog?.oldest.map { "\($0)" })
      }
      object.member("period", period.rawValue)
      object.array("tallies", tallies == nil ? [] : columns) { column, tally in
        tally.member("from", "\(Timestamp(hour: column))")
        func count(_ series: Tally.Series) -> Int {
          tallies?[series, period.resolution, column] ?? 0
        }
        tally.tallies(count)
      }
      object.array("problems", problems) { problem, element in
        element.member("name", problem.name)
        element.member("count", problem.count)
      }
    }
    return json
  }
}

extension JSONObject {
  /// Adds the number of events of each series.
  mutating func tallies(_ count: (Tally.Series) -> Int) {
    for series in Tally.Series.allCases { member(named: series.rawValue, count(series)) }
  }
}
