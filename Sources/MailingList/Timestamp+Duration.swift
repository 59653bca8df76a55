extension Timestamp {
  /// Returns the time after a duration, which may be negative; the earliest or latest timestamp on
  /// overflow.
  ///
  /// Less than a millisecond is ignored.
  package func adding(_ duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds < 0 ? .distantPast : .distantFuture }
    return adding(milliseconds: whole).adding(milliseconds: attoseconds / 1_000_000_000_000_000)
  }

  package static let distantPast = Timestamp(millisecondsSince1970: .min)
  package static let distantFuture = Timestamp(millisecondsSince1970: .max)

  private func adding(milliseconds: Int64) -> Timestamp {
    let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
    guard !overflow else { return milliseconds < 0 ? .distantPast : .distantFuture }
    return Timestamp(millisecondsSince1970: sum)
  }
}
