import Foundation
import Glibc
import TestSupport
import Testing

/// Tests with `slowhttptest`, which opens hundreds of connections that send or read very slowly.
@Suite(
  .serialized,
  .enabled(
    if: Child.finds("slowhttptest"), "slowhttptest is not installed: Scripts/bootstrap all"))
struct SlowRequestsTests {
  @Test(
    arguments: [
      ("heads", "-H -i 1"),
      ("bodies", "-B -i 1 -s 8192 -t POST"),
      // Each client requests three responses at once and reads one byte per second.
      ("readers", "-X -n 1 -w 1 -y 8 -z 1 -k 3"),
    ]
  )
  func `slow connections are closed in time, and other clients get responses`(
    _ what: String, _ options: String
  ) throws {
    let service = try Enlist(["--request-timeout", "6s", "--log-level", "info"])
    let limits = "-c 300 -r 300 -l 120 -u http://127.0.0.1:\(service.port)/subscribers"
    let attack = try Child(
      ["slowhttptest"] + "\(options) \(limits)".split(separator: " ").map(String.init),
      in: service.folder)
    var responseCount = 0
    /// Signs people up while the number of connections meets a condition; `false` means a timeout.
    func signUp(within time: Duration, while goesOn: (Int) -> Bool) throws -> Bool {
      let end = ContinuousClock.now + time
      while goesOn(try openConnections(of: service)) {
        try service.signUp("a\(responseCount)@example.org").expect(202)
        responseCount += 1
        if .now >= end { return false }
      }
      return true
    }
    #expect(
      try signUp(within: .seconds(30), while: { $0 < 60 }), "the slow connections do not open")
    #expect(
      try signUp(within: .seconds(60), while: { $0 > 10 }), "the slow connections are not closed")
    #expect(responseCount > 0)
    try attack.wait(after: SIGKILL)
  }

  /// Counts the connections that the service has accepted and not closed, as listed by the kernel.
  ///
  /// A closed connection whose client does not read the rest has no inode. The descriptors of the
  /// process would be less reliable because a child process may inherit some of other tests.
  private func openConnections(of service: Enlist) throws -> Int {
    let own = String(format: ":%04X", Int(service.port))
    // The file reports no size, so Foundation's other APIs read only its first page.
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
