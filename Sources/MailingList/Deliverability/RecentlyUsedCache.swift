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
  private var places: [String: Int]
  private var nodes: [Node] = []
  private var newest: Int?
  private var oldest: Int?

  /// Makes an empty cache.
  ///
  /// - Parameter capacity: How many values it keeps, 1 or more.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    places = Dictionary(minimumCapacity: self.capacity)
    nodes.reserveCapacity(self.capacity)
  }

  /// Asks for the value of a key.
  mutating func value(of key: String) -> Value? {
    guard let place = places[key] else { return nil }
    unlink(place)
    linkAsNewest(place)
    return nodes[place].value
  }

  /// Keeps a value, in place of the one that the key has, or of the oldest when it is full.
  mutating func keep(_ value: Value, of key: String) {
    let place: Int
    if let known = places[key] {
      place = known
      unlink(place)
      nodes[place].value = value
    } else if nodes.count == capacity, let oldest {
      place = oldest
      unlink(place)
      places[nodes[place].key] = nil
      nodes[place] = Node(key: key, value: value)
    } else {
      place = nodes.count
      nodes.append(Node(key: key, value: value))
    }
    places[key] = place
    linkAsNewest(place)
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (nodes[place].newer, nodes[place].older)
    if let newer { nodes[newer].older = older } else { newest = older }
    if let older { nodes[older].newer = newer } else { oldest = newer }
    nodes[place].newer = nil
    nodes[place].older = nil
  }

  private mutating func linkAsNewest(_ place: Int) {
    nodes[place].older = newest
    if let newest { nodes[newest].newer = place } else { oldest = place }
    newest = place
  }
}
