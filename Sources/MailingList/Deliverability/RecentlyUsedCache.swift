/// A bounded dictionary that evicts the least recently used value.
///
/// Each call takes constant time, even if the cache is full: event loops call it under a lock.
struct RecentlyUsedCache<Value: Sendable>: Sendable {
  private struct Node: Sendable {
    var key: String
    var value: Value
    // The neighbors in the order of last use, as indices into `nodes`.
    var newer: Int?
    var older: Int?
  }

  private let capacity: Int
  private var indices: [String: Int]
  private var nodes: [Node] = []
  private var newest: Int?
  private var oldest: Int?

  /// Creates an empty cache; a capacity below 1 counts as 1.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    indices = Dictionary(minimumCapacity: self.capacity)
    nodes.reserveCapacity(self.capacity)
  }

  /// Returns the value of a key and marks it as the most recently used.
  mutating func value(of key: String) -> Value? {
    guard let index = indices[key] else { return nil }
    unlink(index)
    linkAsNewest(index)
    return nodes[index].value
  }

  /// Inserts a value.
  ///
  /// The value replaces that of the same key, or the least recently used one if the cache is full.
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
