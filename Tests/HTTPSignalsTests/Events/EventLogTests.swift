import Dispatch
import HTTPSignals
import Signals
import Testing

/// A log of events and the positions in it.
@Suite struct EventLogTests {
  @Test func `an event log makes an event from its payload and its position`() {
    let log = EventLog(capacity: 2)
    for payload: UInt64 in [7, 8, 9] {
      log.append(payload: payload) { payload, position in
        var data = JSONText()
        data.object { $0.member("note", Int(payload)) }
        let id = ServerSentEvent.ID(epoch: .init("log"), position: position)
        return ServerSentEvent(id: id, name: .init("note"), data: data)
      }
    }
    let text = """
      id: log-2
      event: note
      data: {"note":8}

      id: log-3
      event: note
      data: {"note":9}


      """
    #expect(log.read(from: 2, atMost: 256) == .blocks(Array(text.utf8), next: 4))
  }

  @Test func `a new event log is empty`() {
    let log = EventLog(capacity: 4)
    #expect(log.head == 1)
    #expect(log.oldest == 1)
    #expect(log.reading(from: 1) == .upToDate)
    #expect(log.reading(from: 0) == .outside)
    #expect(log.reading(from: 2) == .outside)
  }

  @Test func `an event log numbers events consecutively from its first position`() {
    let log = EventLog(capacity: 4, first: 7)
    log.append(3)
    #expect(log.oldest == 7)
    #expect(log.head == 10)
    #expect(log.reading(from: 7) == .events([7, 8, 9], next: 10))
    #expect(log.reading(from: 9) == .events([9], next: 10))
    #expect(log.reading(from: 10) == .upToDate)
    #expect(log.reading(from: 11) == .outside)
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func `an event log keeps exactly as many events as its capacity`(capacity: Int) {
    let log = EventLog(capacity: capacity)
    for count in 1...200 {
      log.append(1)
      let oldest = UInt64(max(1, count - capacity + 1))
      #expect(log.oldest == oldest)
      #expect(log.reading(from: oldest - 1) == .outside)
      let all = Array(oldest...UInt64(count))
      #expect(log.reading(from: oldest) == .events(all, next: UInt64(count) + 1))
    }
  }

  @Test func `an event log with capacity 0 keeps one event`() {
    let log = EventLog(capacity: 0)
    log.append(2)
    #expect(log.oldest == 2)
    #expect(log.reading(from: 2) == .events([2], next: 3))
  }

  @Test func `reading an event log returns as many complete blocks as fit, and at least one`() {
    let log = EventLog(capacity: 100)
    log.append(99)
    let size = block(at: 1).count
    #expect(log.reading(from: 1, room: 0) == .events([1], next: 2))
    #expect(log.reading(from: 1, room: size - 1) == .events([1], next: 2))
    #expect(log.reading(from: 1, room: 2 * size - 1) == .events([1], next: 2))
    #expect(log.reading(from: 1, room: 2 * size) == .events([1, 2], next: 3))
    #expect(log.reading(from: 3, room: 80 * size) == .events(Array(3...82), next: 83))
    #expect(log.reading(from: 99, room: 0) == .events([99], next: 100))
  }

  @Test func `events that are appended together wake clients once`() {
    let log = EventLog(capacity: 8)
    let count = Lock(0)
    log.advances.subscribe(next: { count.withLock { $0 += 1 } })
    log.append((1...3).map { event(at: $0) })
    log.append([])
    #expect(log.reading(from: 1) == .events([1, 2, 3], next: 4))
    #expect(count.withLock { $0 } == 1)
    log.finish()
    log.append([event(at: 4)])
    #expect(log.head == 4)
  }

  @Test func `an event log says when a client has read everything`() {
    let count = Lock(0)
    let log = EventLog(capacity: 8) { _ in count.withLock { $0 += 1 } }
    #expect(log.reading(from: 1) == .upToDate)
    log.append(2)
    #expect(log.reading(from: 1) == .events([1, 2], next: 3))
    #expect(count.withLock { $0 } == 1)
    #expect(log.reading(from: 3) == .upToDate)
    #expect(count.withLock { $0 } == 2)
  }

  @Test func `a finished event log delivers its remaining events, then its end`() {
    let log = EventLog(capacity: 8)
    log.append(2)
    log.finish()
    log.append(1)
    #expect(log.head == 3)
    #expect(log.reading(from: 1) == .events([1, 2], next: 3))
    #expect(log.reading(from: 3) == .finished)
    #expect(log.reading(from: 4) == .outside)
  }

  @Test func `an event log announces each event and its end`() {
    let log = EventLog(capacity: 2)
    let count = Lock(0)
    let heads = Lock<[UInt64]>([])
    let subscription = log.advances.subscribe(next: {
      count.withLock { $0 += 1 }
      let head = log.head
      heads.withLock { $0.append(head) }
    })
    log.append(3)
    log.finish()
    log.append(1)
    subscription.dispose()
    #expect(count.withLock { $0 } == 4)
    #expect(heads.withLock { $0 } == [2, 3, 4, 4])
  }

  @Test func `readers see no gap and no duplicate while other threads append events`() {
    let writers = 4
    let perWriter = 2000
    let total = writers * perWriter
    let log = EventLog(capacity: total)
    let read = Lock<[[UInt64]]>([])
    DispatchQueue.concurrentPerform(iterations: writers * 2) { number in
      if number < writers {
        log.append(perWriter)
        return
      }
      var position: UInt64 = 1
      var seen: [UInt64] = []
      while seen.count < total {
        switch log.reading(from: position, room: 4096) {
        case .events(let events, let next):
          seen += events
          position = next
        case .upToDate: continue
        case .finished, .outside: return
        }
      }
      read.withLock { $0.append(seen) }
    }
    let expected = Array(1...UInt64(total))
    #expect(read.withLock { $0 } == Array(repeating: expected, count: writers))
  }

  @Test func `a reader inside the window of an event log reads consecutive events`() {
    let log = EventLog(capacity: 16)
    let isDone = Lock(false)
    let isBroken = Lock(false)
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      guard number == 1 else {
        log.append(20_000)
        isDone.withLock { $0 = true }
        return
      }
      var position: UInt64 = 1
      while true {
        let wasDone = isDone.withLock { $0 }
        switch log.reading(from: position) {
        case .events(let events, let next):
          let isInOrder = events == Array(position..<next)
          if !isInOrder { isBroken.withLock { $0 = true } }
          position = next
        case .outside: position = log.oldest
        case .upToDate, .finished: if wasDone { return }
        }
      }
    }
    #expect(!isBroken.withLock { $0 })
  }
}

/// The result of a read, with its blocks decoded to positions.
private enum Decoded: Equatable {
  case events([UInt64], next: UInt64)
  case upToDate
  case finished
  case outside
}

private func event(at position: UInt64) -> ServerSentEvent {
  var data = JSONText()
  data.object { $0.member("n", Int(position) + 1_000_000) }
  let padded = String(Int(position) + 1_000_000)
  return ServerSentEvent(id: .init(epoch: .init(padded), position: 1), name: .init("n"), data: data)
}

private func positions(_ blocks: [UInt8]) -> [UInt64] {
  let text = String(decoding: blocks, as: UTF8.self)
  return text.split(separator: "\n\n", omittingEmptySubsequences: true).map { block in
    UInt64(block.dropFirst(4).prefix(7)).map { $0 - 1_000_000 } ?? 0
  }
}

private func block(at position: UInt64) -> [UInt8] { event(at: position).block }

extension EventLog {
  fileprivate func append(_ count: Int) {
    for _ in 0..<count { append { event(at: $0) } }
  }

  fileprivate func reading(from position: UInt64, room: Int = 1 << 16) -> Decoded {
    switch read(from: position, atMost: room) {
    case .blocks(let bytes, let next):
      let events = positions(bytes)
      guard bytes == events.flatMap({ block(at: $0) }) else { return .outside }
      return .events(events, next: next)
    case .upToDate: return .upToDate
    case .finished: return .finished
    case .outside: return .outside
    }
  }
}
