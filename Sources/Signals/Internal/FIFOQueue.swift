/// A queue with amortized constant-time operations at both ends.
///
/// The places of elements that have left are used again, so that a queue that is filled and emptied
/// in turn does not allocate; after a burst, their memory is released.
@usableFromInline
struct FIFOQueue<Element> {
  /// The number of unused places that are kept.
  @inlinable static var spare: Int { 64 }

  /// The places: those before ``first`` are `nil`, the others are filled.
  @usableFromInline var places: [Element?] = []
  @usableFromInline var first = 0

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { first == places.count }

  @inlinable var count: Int { places.count - first }

  @inlinable
  mutating func append(_ element: Element) {
    places.append(element)
  }

  @inlinable
  mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    let element = places[first].take()
    first += 1
    if isEmpty {
      places.removeAll(keepingCapacity: places.capacity <= Self.spare)
      first = 0
    } else if first > Self.spare, first > count {
      places.removeFirst(first)
      first = 0
    }
    return element
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
