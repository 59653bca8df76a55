/// The distance between two texts, for suggestions.
package enum EditDistance {
  /// The optimal string alignment distance: the number of insertions, deletions, replacements and
  /// swaps of neighbors.
  package static func between(
    _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
  ) -> Int {
    // A common prefix and suffix need no edit.
    let begin = zip(first, second).prefix { $0 == $1 }.count
    var (firstEnd, secondEnd) = (first.count, second.count)
    while firstEnd > begin, secondEnd > begin, first[firstEnd - 1] == second[secondEnd - 1] {
      firstEnd -= 1
      secondEnd -= 1
    }
    let columnCount = secondEnd - begin + 1
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: 3 * columnCount) { rows in
      measure(
        from: UnsafeBufferPointer(rebasing: first[begin..<firstEnd]),
        to: UnsafeBufferPointer(rebasing: second[begin..<secondEnd]), rows: rows)
    }
  }

  // `rows` has room for three rows of `second.count + 1` numbers each, which are used in rotation.
  private static func measure(
    from first: UnsafeBufferPointer<UInt8>, to second: UnsafeBufferPointer<UInt8>,
    rows: UnsafeMutableBufferPointer<Int>
  ) -> Int {
    let columnCount = second.count + 1
    var (beforeLast, last, current) = (0, columnCount, 2 * columnCount)
    for column in 0..<columnCount { rows[last + column] = column }
    for (row, byte) in first.enumerated() {
      rows[current] = row + 1
      for (column, other) in second.enumerated() {
        var best = min(
          rows[last + column + 1] + 1, rows[current + column] + 1,
          rows[last + column] + (byte == other ? 0 : 1))
        if row > 0, column > 0, byte == second[column - 1], first[row - 1] == other {
          best = min(best, rows[beforeLast + column - 1] + 1)
        }
        rows[current + column + 1] = best
      }
      (beforeLast, last, current) = (last, current, beforeLast)
    }
    return rows[last + columnCount - 1]
  }
}
