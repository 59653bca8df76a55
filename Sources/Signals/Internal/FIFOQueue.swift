/// A queue with amortized constant-time operations at both ends.
@usableFromInline
struct FIFOQueue<Element> {
  @usableFromInline var incoming: [Element] = []
  @usableFromInline var outgoing: [Element] = []

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  @inlinable var count: Int { incoming.count + outgoing.count }

  @inlinable
  mutating func append(_ element: Element) {
    incoming.append(element)
  }

  @inlinable
  mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      if incoming.isEmpty { return nil }
      outgoing = incoming.reversed()
      incoming.removeAll()
    }
    return outgoing.popLast()
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
