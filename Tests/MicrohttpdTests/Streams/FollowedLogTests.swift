import HTTPSignals
import Testing

@testable import Microhttpd

/// The readers of a log, and the frames that they share.
@Suite struct FollowedLogTests {
  private let log = EventLog(capacity: 4)
  private let followed: FollowedLog

  init() {
    followed = FollowedLog(log)
  }

  @Test func `a reader that leaves makes room for the last one, and displaces no other`() {
    for reader in 10..<14 as Range<Int32> { #expect(followed.add(reader) == Int(reader) - 10) }
    #expect(followed.remove(at: 1) == 13)
    #expect(followed.readers == [10, 13, 12])
    #expect(followed.remove(at: 2) == nil)
    #expect(followed.readers == [10, 13])
  }

  @Test func `readers at the same position share a frame`() throws {
    log.append(count: 2)
    guard case .frame(let frame, let next) = followed.content(from: 1),
      case .frame(let same, _) = followed.content(from: 1),
      case .frame(let other, _) = followed.content(from: 2)
    else {
      Issue.record("expected frames")
      return
    }
    #expect(next == 3)
    #expect(frame === same)
    #expect(frame !== other)
  }

  @Test func `a position is up to date, left the log, or finished`() {
    log.append(count: 6)
    guard case .upToDate = followed.content(from: 7), case .outside = followed.content(from: 2)
    else {
      Issue.record("expected no frame")
      return
    }
    log.finish()
    guard case .finished = FollowedLog(log).content(from: 7) else {
      Issue.record("expected the end")
      return
    }
  }
}
