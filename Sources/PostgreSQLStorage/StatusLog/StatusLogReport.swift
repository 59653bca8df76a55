/// What the operator should know about the status log.
package enum StatusLogReport: Hashable, Sendable {
  /// Messages wait, and have got no positions for some time.
  case stalled
  /// Messages get positions again.
  case continued
  /// Rows were deleted because they are malformed.
  case malformed(count: Int)
}

extension StatusLogReport: CustomStringConvertible {
  /// What follows from it, and what to do.
  package var description: String {
    switch self {
    case .stalled:
      """
      status messages have waited for their positions for 10 seconds, and streams are silent; end \
      the session that holds a lock on the tables status_numbering, status_pending or status_log
      """
    case .continued: "status messages get their positions again"
    case .malformed(let count):
      """
      rows of the table status_pending that were malformed and have been deleted: \(count); only \
      this program should write to the schema enlist
      """
    }
  }
}
