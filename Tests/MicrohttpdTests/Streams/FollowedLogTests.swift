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
    let request = StreamRequest(
      EventStream(log: log, from: log.head), client: .local, fields: FieldList(), isHTTP10: true)
    let streams = (0..<4).map { id in
      Stream(id, request, on: StreamSocket(-1), in: followed, StreamLimits(), at: .zero)
    }
    for stream in streams { followed.add(stream) }
    followed.remove(streams[1])
    #expect(followed.readers.map(\.id) == [0, 3, 2])
    followed.remove(streams[2])
    #expect(followed.readers.map(\.id) == [0, 3])
    followed.remove(streams[3])
    #expect(followed.readers.map(\.id) == [0])
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
