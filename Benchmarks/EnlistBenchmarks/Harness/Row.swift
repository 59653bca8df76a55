/// One row of the table: an operation that several libraries perform.
struct Row {
  /// A letter, as the aims are known by, and the operation.
  let name: String
  /// What the operation should cost at the most.
  let aim: Aim
  /// Those that perform it.
  let contenders: [Contender]
  /// How long one measurement takes at least; more where starting it is a part of it.
  var shortest: Duration = .milliseconds(3)
}

/// What an operation should cost at the most; `nil` is no aim.
struct Aim {
  /// Times the floor of the same row and run.
  var ratio: Double?
  /// On a machine where the floor of row (a) costs ``Aim/referenceFloor``.
  var nanoseconds: Double?
  /// Of the heap.
  var allocations: Double?

  /// Whether there is none.
  var isNone: Bool { ratio == nil && nanoseconds == nil && allocations == nil }

  /// What the floor of row (a) cost where the aims were set, in nanoseconds.
  static let referenceFloor = 22.0
}
