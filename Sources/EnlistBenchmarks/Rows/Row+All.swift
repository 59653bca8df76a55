extension Row {
  /// The table, in its order.
  static var all: [Row] {
    [
      chain, fanOut(to: 1), fanOut(to: 1_000), cold, flatMap, combineLatest, merge, replay, command,
      twoThreads, churn,
    ]
  }
}
