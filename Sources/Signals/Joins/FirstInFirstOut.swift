/// A queue whose ends cost the same however long it is.
@usableFromInline
struct FirstInFirstOut<Element> {
  private var incoming: [Element] = []
  private var outgoing: [Element] = []

  @usableFromInline
  init() {}

  @usableFromInline var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  @usableFromInline
  mutating func append(_ element: Element) {
    incoming.append(element)
  }

  @usableFromInline
  mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming.removeAll()
    }
    return outgoing.popLast()
  }
}

extension FirstInFirstOut: Sendable where Element: Sendable {}
