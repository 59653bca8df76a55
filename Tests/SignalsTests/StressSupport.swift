import Foundation
import Signals
import Synchronization

/// Threads that live as long as the team, and start every round at the same moment.
///
/// Real threads, not tasks: there are as many as asked for, whatever the number of cores.
final class ThreadTeam: Sendable {
  typealias Work = @Sendable (Int) -> Void

  private let hall = Hall()

  init(_ count: Int) {
    for index in 0..<count {
      let hall = hall
      let thread = Thread {
        var round = 0
        while hall.takePart(as: index, of: count, after: &round) { hall.leave() }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
    self.count = count
  }

  deinit {
    hall.close()
  }

  let count: Int

  /// Runs work on all threads, and returns when all have done it.
  func run(_ work: @escaping Work) {
    hall.run(work, count: count)
  }

  /// Where the threads wait.
  private final class Hall: @unchecked Sendable {
    // @unchecked Sendable because the variables are touched only while the condition is locked.
    private let condition = NSCondition()
    private var work: Work?
    private var round = 0
    private var busyCount = 0
    private var isClosed = false
    private var arrivedCount = 0

    func run(_ work: @escaping Work, count: Int) {
      condition.lock()
      arrivedCount = 0
      self.work = work
      busyCount = count
      round += 1
      condition.broadcast()
      while busyCount > 0 { condition.wait() }
      self.work = nil
      condition.unlock()
    }

    /// Returns after it has let go of the work, whose captures a test may count.
    func takePart(as index: Int, of count: Int, after round: inout Int) -> Bool {
      guard let work = waitForWork(after: &round) else { return false }
      waitForOthers(count)
      work(index)
      return true
    }

    private func waitForWork(after seen: inout Int) -> Work? {
      condition.lock()
      defer { condition.unlock() }
      while round == seen, !isClosed { condition.wait() }
      seen = round
      return isClosed ? nil : work
    }

    private func waitForOthers(_ count: Int) {
      condition.lock()
      arrivedCount += 1
      if arrivedCount == count { condition.broadcast() }
      while arrivedCount < count { condition.wait() }
      condition.unlock()
    }

    func leave() {
      condition.lock()
      busyCount -= 1
      if busyCount == 0 { condition.broadcast() }
      condition.unlock()
    }

    func close() {
      condition.lock()
      isClosed = true
      condition.broadcast()
      condition.unlock()
    }
  }
}

/// Counts objects that are alive.
final class Census: Sendable {
  /// One that is counted as long as something holds it.
  final class Citizen: Sendable {
    private let census: Census

    fileprivate init(_ census: Census) {
      self.census = census
      census.count.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
      census.count.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }

    /// Does nothing; a closure that calls it holds the object.
    func stay() {}
  }

  private let count = Atomic(0)

  var living: Int { count.load(ordering: .acquiring) }

  func citizen() -> Citizen {
    Citizen(self)
  }
}

/// What several threads write down, in one list.
final class Notes<Element: Sendable>: Sendable {
  private let noted = Lock<[Element]>([])

  var all: [Element] { noted.withLock { $0 } }

  func add(_ element: Element) {
    noted.withLock { $0.append(element) }
  }
}

/// A field of `/proc/self/status` in KiB: `VmRSS`, the resident memory, or `VmHWM`, its peak.
func processMemory(_ field: String) -> Int? {
  let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status?.split(separator: "\n").first { $0.hasPrefix(field + ":") }
  return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
}
