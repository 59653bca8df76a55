/// The cost of a row's operation with each library.
struct RowResult {
  let row: Row
  let costs: [(library: Library, cost: Cost)]

  subscript(library: Library) -> Cost? {
    costs.first { $0.library == library }?.cost
  }

  /// The cost with this package.
  var ours: Cost? { costs.first { $0.library.isOurs }?.cost }
  /// The cost of the floor.
  var floor: Cost? { costs.first { $0.library.isFloor }?.cost }
}

/// The cost of one operation.
struct Cost {
  /// The median of all rounds.
  let nanoseconds: Double
  /// Calls of malloc and related functions, on all threads; `nil` where they cannot be counted.
  let allocations: Double?
}
