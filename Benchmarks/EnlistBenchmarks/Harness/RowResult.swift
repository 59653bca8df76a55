/// What the operation of one row costs with each library.
struct RowResult {
  let row: Row
  let costs: [(library: Library, cost: Cost)]

  subscript(library: Library) -> Cost? {
    costs.first { $0.library == library }?.cost
  }

  /// What this package costs.
  var ours: Cost? { costs.first { $0.library.isOurs }?.cost }
  /// What the least that could be done costs.
  var floor: Cost? { costs.first { $0.library.isFloor }?.cost }
}

/// What one operation costs.
struct Cost {
  /// The median of all rounds.
  let nanoseconds: Double
  /// Calls of malloc and its kin, on all threads; `nil` where they cannot be counted.
  let allocations: Double?
}
