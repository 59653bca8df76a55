/// A row of the table: an operation that several libraries perform.
struct Row {
  /// The letter that the aims use, and the operation.
  let name: String
  /// The most that the operation should cost.
  let aim: Aim
  /// The contenders that perform the operation.
  var contenders: [Contender]
  /// The minimum duration of one measurement; longer if the measurement includes startup.
  var shortest: Duration = .milliseconds(3)
}

/// The most that an operation should cost; `nil` means that there is no aim.
struct Aim {
  /// The ratio to the floor of the same row and run.
  var ratio: Double?
  /// Nanoseconds on a machine where the floor of row (a) costs ``Aim/referenceFloor``.
  var nanoseconds: Double?
  /// Heap allocations.
  var allocations: Double?

  /// The cost of row (a)'s floor on the machine that the aims were set on, in nanoseconds.
  static let referenceFloor = 22.0
}
