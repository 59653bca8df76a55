internal import MailingList

extension ChangeWriter {
  /// Makes the statement that settles mails; those that are not leased by their claim any more are
  /// left alone.
  static func settlement(_ settlements: [MailSettlement]) -> Query {
    let outcomes = settlements.map { Outcome($0) }
    var query = Query("SELECT enlist.settle_mails($1, $2, $3, $4, $5, $6)")
    query.bind(array: settlements.map { Optional($0.mail.id.bytes) })
    query.bind(array: settlements.map { Optional($0.mail.leasedUntil) })
    query.bind(array: outcomes.map { Optional($0.number) })
    query.bind(array: settlements.map { Optional($0.time) })
    query.bind(array: outcomes.map(\.dueAt))
    query.bind(array: outcomes.map(\.error))
    return query
  }

  /// An outcome as `settle_mails` expects it.
  private struct Outcome {
    let number: Int16
    var dueAt: Timestamp?
    var error: String?

    init(_ settlement: MailSettlement) {
      switch settlement.outcome {
      case .sent: number = 1
      case .rejected: number = 2
      case .undeliverable, .expired: number = 3
      case .later(let time, let text):
        number = 4
        dueAt = time
        error = text
      case .released(let time):
        number = 5
        dueAt = time
      case .unsent(let time):
        number = settlement.mail.isFirstGrant ? 6 : 5
        dueAt = time
      }
    }
  }
}
