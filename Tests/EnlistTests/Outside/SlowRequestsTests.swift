import Foundation
import TestSupport
import Testing

/// `slowhttptest`: hundreds of connections that send or read as slowly as they can.
@Suite(
  .serialized,
  .enabled(
    if: Program.isThere("slowhttptest"),
    "slowhttptest is not installed: Scripts/bootstrap test"
  )
)
struct SlowRequestsTests {
  @Test(
    arguments: [
      ("heads", "-H -i 1"),
      ("bodies", "-B -i 1 -s 8192 -t POST"),
      // Three answers at once for each, of which the client takes a byte a second.
      ("readers", "-X -n 1 -w 1 -y 8 -z 1 -k 3"),
    ]
  )
  func `are all cut in time, and everybody else is answered`(
    _ what: String,
    _ options: String
  ) throws {
    let service = try RunningService(["--request-timeout", "6s"])
    let attack = try Program.start(
      "slowhttptest \(options) -c 300 -r 300 -l 120 -u http://127.0.0.1:\(service.port)/subscribers",
      in: service.folder
    )
    var responseCount = 0
    /// Signs people up until so many connections are open, or so few; whether that came in time.
    func signUp(within time: Duration, while goesOn: (Int) -> Bool) throws -> Bool {
      let deadline = Deadline(after: time)
      while goesOn(try openConnections(of: service)) {
        #expect(try service.signUp("a\(responseCount)@example.org").status == 202)
        responseCount += 1
        if deadline.milliseconds == 0 { return false }
      }
      return true
    }
    #expect(try signUp(within: .seconds(30), while: { $0 < 60 }), "they do not come")
    #expect(try signUp(within: .seconds(60), while: { $0 > 10 }), "they are not cut")
    #expect(responseCount > 0)
    attack.send(signal: SIGKILL)
  }

  /// How many connections the service has accepted and not closed, as the kernel lists them.
  ///
  /// Those that it has closed and whose clients do not take the rest have no inode any more; its
  /// descriptors would say less, since a process that is started beside others may inherit some.
  private func openConnections(of service: RunningService) throws -> Int {
    let own = String(format: ":%04X", Int(service.port))
    // A file without a size, of which Foundation's other readers take the first page only.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
    let table = try #require(try file.readToEnd())
    let lines = String(decoding: table, as: UTF8.self).split(separator: "\n")
    return lines.dropFirst().count { line in
      // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …
      let words = line.split(separator: " ")
      return words.count > 9 && words[1].hasSuffix(own) && words[3] != "0A" && words[9] != "0"
    }
  }
}
