extension Row {
  /// The rows of the reactive library's table with the contenders of the peers, in order.
  static var ofSignalsAndPeers: [Row] {
    var peers = contendersOfPeers
    var rows = ofSignals
    for index in rows.indices {
      rows[index].contenders += peers.removeValue(forKey: rows[index].name) ?? []
    }
    precondition(peers.isEmpty, "no row is called \(peers.keys.joined(separator: ", nor "))")
    return rows
  }

  /// The contenders of the peers, by the name of their row.
  ///
  /// OpenCombine 0.14 cannot combine the latest values of two publishers.
  private static var contendersOfPeers: [String: [Contender]] {
    [
      "(a) subject, map, filter, map, sink": [.openCombineChain(), .asyncChain()],
      "(b) fan-out to 1, each": [.openCombineFanOut(to: 1)],
      "(b) fan-out to 1000, each": [.openCombineFanOut(to: 1_000)],
      "(c) cold: create, subscribe, next, complete, dispose": [.openCombineCold()],
      "(d) flatMap of one-value signals": [.openCombineFlatMap(), .asyncFlatMap()],
      "(e) combineLatest of 2, each event": [.asyncCombineLatest()],
      "(e) merge of 3, each event": [.openCombineMerge(), .asyncMerge()],
      "(h) two threads into one subject": [.openCombineTwoThreads(), .asyncTwoTasks()],
      "(i) subscribe and dispose on a live subject": [.openCombineChurn()],
      "(j) combineLatest of an array of 3, each event": [.asyncCombineLatestOfThree()],
      "(j) zip of an array of 3, each event": [.openCombineZip(), .asyncZip()],
      "(k) exhaustMap of one-value signals": [.openCombineExhaustMap()],
      "(l) buffer(count: 16), each value": [.openCombineBuffer(), .asyncBuffer()],
      "(m) replaceError(with:) of a failure": [.openCombineReplaceError()],
      "(m) retry(1, delay:) of a failure, on no delay": [.openCombineRetry()],
      "(m) retry(when:) of a failure": [.openCombineRetry()],
      "(n) share(replay: 1): subscribe and dispose": [.openCombineCurrentValue()],
      "(o) Property.map, each change": [.openCombineMap()],
      "(o) Property.modify": [.openCombineModify()],
      "(p) values(bufferingPolicy:), each value": [.asyncValues()],
    ]
  }
}
