extension Row {
  /// The table of the reactive library, in its order.
  static var ofSignals: [Row] {
    [
      chain, fanOut(to: 1), fanOut(to: 1_000), cold, flatMap, combineLatest, merge, replay, command,
      twoThreads, churn,
    ]
  }

  /// The table of the validation of addresses, in its order.
  static var ofEmail: [Row] {
    [
      accepted, acceptedWithStrings, rejected, international, suggestion, hostile(.long),
      hostile(.marks), hostile(.labels), hostile(.composed),
    ]
  }
}
