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

  private func streams(_ count: UInt64, in followed: FollowedLog) -> [Stream] {
    let request = StreamRequest(
      EventStream(log: log, from: log.head), client: .local, query: FieldList(),
      fields: FieldList(), isHTTP10: true)
    return (0..<count).map { id in
      Stream(id, request, on: StreamSocket(-1), in: followed, StreamLimits(), at: .zero)
    }
  }

  @Test func `a reader that leaves makes room for the last one, and displaces no other`() {
    let streams = streams(4, in: followed)
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

  @Test(arguments: [(readers: 1, isShared: false), (2, true)])
  func `readers that replay share complete frames, wherever they began`(
    readers: UInt64, isShared: Bool
  ) throws {
    let log = EventLog(capacity: 1000)
    log.append(count: 350)
    let followed = FollowedLog(log)
    for stream in streams(readers, in: followed) { followed.add(stream) }
    func frames(from first: UInt64) -> [(from: UInt64, frame: StreamFrame)] {
      var (frames, position) = ([(from: UInt64, frame: StreamFrame)](), first)
      while case .frame(let frame, let next) = followed.content(from: position) {
        frames.append((position, frame))
        position = next
      }
      #expect(position == log.head)
      return frames
    }
    let (early, late) = (frames(from: 7), frames(from: 150))
    #expect(early.map(\.from) == [7, 100, 200, 300])
    #expect(late.map(\.from) == [150, 200, 300])
    #expect((early[2].frame === late[1].frame) == isShared)
    func bytes(_ frame: StreamFrame) -> [UInt8] {
      frame.withRest(after: 0, framing: .untilClose) { Array($0) }
    }
    #expect(late.dropFirst().flatMap { bytes($0.frame) } == early[2...].flatMap { bytes($0.frame) })
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
