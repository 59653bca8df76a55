/// A bounded dictionary that lets go of whom was longest not asked for.
///
/// Each call takes constant time, also when it is full: an event loop makes them under a lock.
struct RecentlyUsedCache<Value: Sendable>: Sendable {
  private struct Node: Sendable {
    var key: String
    var value: Value
    /// The one that was asked for next, and the one before.
    var newer: Int?
    var older: Int?
  }

  private let capacity: Int
  private var indices: [String: Int]
  private var nodes: [Node] = []
  private var newest: Int?
  private var oldest: Int?

  /// Makes an empty cache.
  ///
  /// - Parameter capacity: How many values it keeps, 1 or more.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    indices = Dictionary(minimumCapacity: self.capacity)
    nodes.reserveCapacity(self.capacity)
  }

  /// Asks for the value of a key.
  mutating func value(of key: String) -> Value? {
    guard let index = indices[key] else { return nil }
    unlink(index)
    linkAsNewest(index)
    return nodes[index].value
  }

  /// Keeps a value, in place of the one that the key has, or of the oldest when it is full.
  mutating func insert(_ value: Value, of key: String) {
    let index: Int
    if let known = indices[key] {
      index = known
      unlink(index)
      nodes[index].value = value
    } else if nodes.count == capacity, let oldest {
      index = oldest
      unlink(index)
      indices[nodes[index].key] = nil
      nodes[index] = Node(key: key, value: value)
    } else {
      index = nodes.count
      nodes.append(Node(key: key, value: value))
    }
    indices[key] = index
    linkAsNewest(index)
  }

  private mutating func unlink(_ index: Int) {
    let (newer, older) = (nodes[index].newer, nodes[index].older)
    if let newer { nodes[newer].older = older } else { newest = older }
    if let older { nodes[older].newer = newer } else { oldest = newer }
    nodes[index].newer = nil
    nodes[index].older = nil
  }

  private mutating func linkAsNewest(_ index: Int) {
    nodes[index].older = newest
    if let newest { nodes[newest].newer = index } else { oldest = index }
    newest = index
  }
}
