extension Row {
  /// The rows of the reactive library's table, in order.
  static var ofSignals: [Row] {
    [
      chain, fanOut(to: 1), fanOut(to: 1_000), cold, flatMap, combineLatest, merge, replay, command,
      twoThreads, churn, combineLatestOfArray, zipOfArray, withLatest, exhaustMap, race,
      bufferCount,
      windowCount, replaceError, retryDelayed, retryWhen, shareReplay, propertyMap,
      propertyCombineLatest, propertyModify, boundedValues,
    ]
  }

  /// The rows of the address validation's table, in order.
  static var ofEmail: [Row] {
    [
      accepted, acceptedWithStrings, rejected, international, suggestion, hostile(.long),
      hostile(.marks), hostile(.labels), hostile(.composed),
    ]
  }
}
