internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Signals

/// The streams that are written straight to their sockets.
///
/// ```text
/// EventLog ──► StreamGroup ──► DirectStream ──► socket
///                  ▲                ▲
///                  └── StreamHub ───┘   what is due, in parts; who has gone; whose time is over
/// ```
///
/// libmicrohttpd walks over everything that is suspended whenever it resumes one, and keeps kilobytes
/// for each; here a stream is a slot in an array. All of it runs on the loop's thread.
// @unchecked Sendable because all of it is touched on the loop's thread only.
final class StreamHub: LoopBackground, @unchecked Sendable {
  /// How many streams are visited before new ones, and those with news, get their turn.
  private static let visitsPerPart = 32

  /// Readable when a socket has news.
  let descriptor: Int32

  private let loop: EventLoop
  private let configuration: Daemon.Configuration
  /// Called for each stream that has ended.
  var closed: (ClientAddress) -> Void = { _ in }
  private var slots: ContiguousArray<DirectStream?> = []
  private var freeSlots: [Int32] = []
  private var generation: UInt32 = 0
  private var groups: [ObjectIdentifier: StreamGroup] = [:]
  /// Groups with streams that are to be visited.
  private var waiting: [StreamGroup] = []
  private var looksAtClock = false
  /// Until when streams end at random, once it drains.
  private var drainEnd: Duration?
  private var whenEmpty: () -> Void = {}
  private var isEmptied = false

  /// Makes a hub of nothing.
  ///
  /// - Parameters:
  ///   - loop: On whose thread everything happens.
  ///   - configuration: The limits.
  /// - Throws: `DaemonError`, when there is no descriptor left.
  init(loop: EventLoop, configuration: Daemon.Configuration) throws(DaemonError) {
    self.loop = loop
    self.configuration = configuration
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw .system(function: "epoll_create1", errorNumber: errno) }
  }

  deinit {
    close(descriptor)
  }

  private var isEmpty: Bool { slots.count == freeSlots.count }

  // MARK: Opening and closing

  /// Takes a socket on which a stream's head was sent, and writes the stream to it from now on.
  func open(_ stream: EventStream, on socket: StreamSocket, for request: StreamRequest) {
    socket.configure()
    generation &+= 1
    let group = group(for: stream.log)
    let slot = freeSlots.popLast() ?? Int32(slots.count)
    if slot == slots.count { slots.append(nil) }
    var opened = DirectStream(
      of: stream,
      on: socket,
      in: group,
      generation: generation,
      for: request,
      times: StreamTimes(now: loop.now, configuration)
    )
    if drainEnd != nil { opened.end(by: randomEnd) }
    opened.protectEnd()
    opened.place = group.add(slot)
    slots[Int(slot)] = opened
    watch(EPOLL_CTL_ADD, slot, forRoom: false)
    settle(slot, slots[Int(slot)]?.advance(at: loop.now))
    startClock()
  }

  private func group(for log: EventLog) -> StreamGroup {
    let id = ObjectIdentifier(log)
    if let group = groups[id] { return group }
    let group = StreamGroup(log: log)
    groups[id] = group
    group.follow(on: loop) { [weak self] in self?.enqueue($0) }
    return group
  }

  private func remove(_ slot: Int32, isStalled: Bool = false) {
    guard let stream = slots[Int(slot)] else { return }
    slots[Int(slot)] = nil
    freeSlots.append(slot)
    let group = stream.group
    if let moved = group.remove(at: stream.place) { slots[Int(moved)]?.place = stream.place }
    if group.members.isEmpty {
      group.leaveLog()
      groups[ObjectIdentifier(group.log)] = nil
    }
    epoll_ctl(descriptor, EPOLL_CTL_DEL, stream.socket.descriptor, nil)
    stream.close(isStalled: isStalled)
    stream.source?.dispose()
    closed(stream.client)
    if isEmpty { callWhenEmpty() }
  }

  private func callWhenEmpty() {
    let call = whenEmpty
    whenEmpty = {}
    call()
  }

  /// Ends all streams now: cleanly those whose socket takes it.
  func endAll() {
    let now = loop.now
    for slot in slots.indices {
      slots[slot]?.finish(at: now)
      remove(Int32(slot))
    }
  }

  /// Has all streams end at random within a time, also those that open meanwhile.
  ///
  /// - Parameters:
  ///   - time: How long the last may take.
  ///   - whenEmpty: Called once, when none is open any more.
  func drain(within time: Duration, whenEmpty: @escaping () -> Void) {
    drainEnd = loop.now + time
    for slot in slots.indices { slots[slot]?.end(by: randomEnd) }
    self.whenEmpty = whenEmpty
    if isEmpty { callWhenEmpty() }
  }

  private var randomEnd: Duration {
    let now = loop.now
    return now + max(.zero, (drainEnd ?? now) - now) * Double.random(in: 0..<1)
  }

  // MARK: Sending

  /// Sends a part of what is due, so that requests need not wait for all of it.
  ///
  /// - Returns: Whether more is due.
  func runPart() -> Bool {
    guard !waiting.isEmpty else { return false }
    let now = loop.now
    for _ in 0..<Self.visitsPerPart {
      guard let group = waiting.last else { return false }
      guard let slot = group.takeUnvisited() else {
        waiting.removeLast()
        continue
      }
      visit(slot, at: now)
    }
    return !waiting.isEmpty
  }

  private func visit(_ slot: Int32, at now: Duration) {
    guard let stream = slots[Int(slot)], !stream.awaitsRoom else { return }
    settle(slot, slots[Int(slot)]?.advance(at: now))
  }

  private func enqueue(_ group: StreamGroup) {
    if group.hasUnvisited, !waiting.contains(where: { $0 === group }) {
      waiting.insert(group, at: 0)
    }
  }

  private func settle(_ slot: Int32, _ progress: DirectStream.Progress?) {
    switch progress {
    case .caughtUp: awaitRoom(false, for: slot)
    case .more:
      awaitRoom(false, for: slot)
      guard let group = slots[Int(slot)]?.group else { return }
      group.visitAll()
      enqueue(group)
    case .blocked: awaitRoom(true, for: slot)
    case .over: remove(slot)
    case .stalled: remove(slot, isStalled: true)
    case nil: break
    }
  }

  // MARK: The kernel's news

  private func awaitRoom(_ awaitsRoom: Bool, for slot: Int32) {
    guard slots[Int(slot)]?.awaitsRoom != awaitsRoom else { return }
    slots[Int(slot)]?.awaitsRoom = awaitsRoom
    watch(EPOLL_CTL_MOD, slot, forRoom: awaitsRoom)
  }

  private func watch(_ operation: Int32, _ slot: Int32, forRoom: Bool) {
    guard let stream = slots[Int(slot)] else { return }
    var event = epoll_event()
    event.events = EPOLLRDHUP.rawValue | (forRoom ? EPOLLOUT.rawValue : 0)
    if stream.socket.endsAtInput { event.events |= EPOLLIN.rawValue }
    event.data.u64 = UInt64(stream.generation) << 32 | UInt64(slot)
    epoll_ctl(descriptor, operation, stream.socket.descriptor, &event)
  }

  /// Deals with the sockets that have news.
  func takeNews() {
    let now = loop.now
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      let count = epoll_wait(descriptor, events.baseAddress, Int32(events.count), 0)
      for event in events.prefix(max(0, Int(count))) {
        let slot = Int32(truncatingIfNeeded: event.data.u64 & 0xFFFF_FFFF)
        // Of a stream that was closed since, whose slot may have been taken again.
        guard slots[Int(slot)]?.generation == UInt32(event.data.u64 >> 32) else { continue }
        if event.events & ~EPOLLOUT.rawValue != 0 {
          // Who only sends nothing more may still read.
          if event.events & EPOLLHUP.rawValue == 0 { slots[Int(slot)]?.finish(at: now) }
          remove(slot)
        } else {
          settle(slot, slots[Int(slot)]?.advance(at: now))
        }
      }
    }
  }

  // MARK: Time

  /// Looks at the clock for as long as streams are open.
  private func startClock() {
    guard !looksAtClock, !isEmpty else { return }
    looksAtClock = true
    loop.schedule(after: configuration.streamClock) { [weak self] in self?.lookAtClock() }
  }

  /// Looks whose heartbeat, end or patience is due.
  private func lookAtClock() {
    looksAtClock = false
    let now = loop.now
    let stall = configuration.streamStall
    for slot in slots.indices {
      settle(Int32(slot), slots[slot]?.look(at: now, stall: stall))
    }
    startClock()
  }
}

extension Daemon.Configuration {
  /// How often it is looked whether a stream is due for something.
  var streamClock: Duration {
    min(max(min(heartbeat, streamStall) / 8, .milliseconds(5)), .milliseconds(50))
  }
}
