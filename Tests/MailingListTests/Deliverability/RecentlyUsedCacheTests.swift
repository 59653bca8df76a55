import Testing

@testable import MailingList

@Suite struct RecentlyUsedCacheTests {
  @Test func `a full cache evicts the least recently used value`() {
    var cache = RecentlyUsedCache<Int>(capacity: 3)
    for (key, value) in [("a", 1), ("b", 2), ("c", 3)] { cache.insert(value, of: key) }
    #expect(cache.value(of: "a") == 1)
    cache.insert(4, of: "d")
    #expect(cache.value(of: "b") == nil)
    cache.insert(5, of: "c")
    cache.insert(6, of: "e")
    #expect(cache.value(of: "a") == nil)
    #expect(["c", "d", "e"].map { cache.value(of: $0) } == [5, 4, 6])
  }

  @Test(arguments: [1, 2, 7])
  func `the cache behaves like an ordered list of the same capacity`(capacity: Int) {
    var cache = RecentlyUsedCache<Int>(capacity: capacity)
    var list: [(key: String, value: Int)] = []
    var state: UInt64 = 42
    for step in 0..<2_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let key = String((state >> 33) % 10)
      let index = list.firstIndex { $0.key == key }
      if (state >> 60) % 2 == 0 {
        let known = index.map { list.remove(at: $0) }
        #expect(cache.value(of: key) == known?.value)
        if let known { list.append(known) }
      } else {
        if let index {
          list.remove(at: index)
        } else if list.count == capacity {
          list.removeFirst()
        }
        list.append((key, step))
        cache.insert(step, of: key)
      }
    }
    for entry in list { #expect(cache.value(of: entry.key) == entry.value) }
  }

  @Test func `a cache with a capacity of zero keeps one value`() {
    var cache = RecentlyUsedCache<Int>(capacity: 0)
    cache.insert(1, of: "a")
    #expect(cache.value(of: "a") == 1)
  }
}
