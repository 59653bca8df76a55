/// The slots of a subject in the order of subscription; `nil` where one has been removed.
///
/// Memory and references are managed manually: an array is retained while it is iterated, which
/// costs as much as the gate. The gate guarantees that the list does not change during iteration.
/// The list is not copied: it is the field of one core, which empties it before it is released.
@usableFromInline
struct SlotList {
  @usableFromInline var places: UnsafeMutableBufferPointer<Unmanaged<SubjectSlot>?>
  @usableFromInline var count = 0
  @usableFromInline var gaps = 0

  /// The number of slots in the list.
  @inlinable var slotCount: Int { count &- gaps }

  @inlinable
  init() {
    places = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  /// Calls a closure with each slot, in order; the list does not change meanwhile.
  @inlinable
  func forEach(_ body: (SubjectSlot) -> Void) {
    for index in 0..<count {
      places[index]?._withUnsafeGuaranteedRef { body($0) }
    }
  }

  @inlinable
  mutating func append(_ slot: SubjectSlot) {
    if count == places.count { grow() }
    slot.index = Int32(truncatingIfNeeded: count)
    places[count] = .passRetained(slot)
    count += 1
  }

  @inlinable
  mutating func remove(_ slot: SubjectSlot) {
    guard let index = slot.index.map(Int.init) else { return }
    slot.index = nil
    places[index]?.release()
    places[index] = nil
    gaps += 1
    while count > 0, places[count - 1] == nil {
      count -= 1
      gaps -= 1
    }
    if gaps > 16, gaps > count / 2 { closeGaps() }
  }

  /// Empties the list.
  ///
  /// - Parameter receive: Receives each slot that was in the list, in order.
  @inlinable
  mutating func removeAll(_ receive: (SubjectSlot) -> Void) {
    let removed = places
    let removedCount = count
    places = UnsafeMutableBufferPointer(start: nil, count: 0)
    count = 0
    gaps = 0
    for place in removed[..<removedCount] {
      guard let slot = place?.takeRetainedValue() else { continue }
      slot.index = nil
      receive(slot)
    }
    removed.deallocate()
  }

  @usableFromInline
  mutating func grow() {
    let larger = UnsafeMutableBufferPointer<Unmanaged<SubjectSlot>?>.allocate(
      capacity: max(2, places.count * 2))
    larger.initialize(repeating: nil)
    _ = larger.update(fromContentsOf: places)
    places.deallocate()
    places = larger
  }

  @usableFromInline
  mutating func closeGaps() {
    var kept = 0
    for index in 0..<count {
      guard let slot = places[index] else { continue }
      places[index] = nil
      places[kept] = slot
      slot._withUnsafeGuaranteedRef { $0.index = Int32(truncatingIfNeeded: kept) }
      kept += 1
    }
    count = kept
    gaps = 0
  }
}
