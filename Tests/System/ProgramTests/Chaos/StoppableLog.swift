import Glibc
import Signals
import TestSupport

/// A pipe that receives the log of each process that is started with it, and its reader, which can
/// stop.
final class StoppableLog: Sendable {
  private enum State {
    case reading, stopped, ended
  }

  /// The command that starts a program with this log.
  let launcher: [String]

  private let descriptor: Int32
  private let state = Lock(State.reading)
  private let tail = Lock<[UInt8]>([])

  /// Makes the pipe, and starts to read it.
  ///
  /// - Parameter folder: The folder of the pipe.
  /// - Throws: `TestSystemError`.
  init(in folder: TemporaryFolder) throws(TestSystemError) {
    let path = folder.path(of: "log")
    guard mkfifo(path, 0o600) == 0 else { throw .system("mkfifo", errno: errno) }
    // Open for writing, too: the end of a process is not the end of the log.
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open", errno: errno) }
    launcher = ["sh", "-c", #"log=$0; exec "$@" 2>"$log""#, path]
  }

  deinit {
    close(descriptor)
  }

  /// The last 4 KiB or so of what has been read.
  var text: String { String(decoding: tail.withLock { $0 }, as: UTF8.self) }

  /// Reads until ``end()``.
  func run() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      switch state.withLock({ $0 }) {
      case .ended: return
      case .stopped: Deadline(after: .milliseconds(20)).pass()
      case .reading:
        guard (try? Deadline(after: .milliseconds(100)).wait(toRead: descriptor)) != nil else {
          continue
        }
        let count = read(descriptor, &buffer, buffer.count)
        let part = buffer.prefix(max(count, 0))
        tail.withLock { $0 = Array(($0 + part).suffix(4096)) }
      }
    }
  }

  /// Stops reading.
  func stop() {
    state.withLock { $0 = .stopped }
  }

  /// Reads on.
  func resume() {
    state.withLock { $0 = .reading }
  }

  /// Stops reading permanently.
  func end() {
    state.withLock { $0 = .ended }
  }
}
