import Foundation
import TestSupport
import Testing

/// `slowhttptest`: hundreds of connections that send as slowly as they can.
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
    ]
  )
  func `are all cut in time, and everybody else is answered`(
    _ what: String,
    _ options: String
  ) throws {
    let service = try RunningService(["--request-timeout", "6s"])
    // A process that is started beside others may have inherited some.
    let usual = try openDescriptors(of: service)
    let attack = try Program.start(
      "slowhttptest \(options) -c 300 -r 300 -l 120 -u http://127.0.0.1:\(service.port)/subscribers",
      in: service.folder
    )
    var answered = 0
    /// Signs people up until so many connections are open, or so few; whether that came in time.
    func signUp(within time: Duration, while goesOn: (Int) -> Bool) throws -> Bool {
      let deadline = Deadline(after: time)
      while goesOn(try openDescriptors(of: service)) {
        #expect(try service.signUp("a\(answered)@example.org").status == 202)
        answered += 1
        if deadline.milliseconds == 0 { return false }
      }
      return true
    }
    // On a busy machine the first are cut before many have come; then that many are enough.
    if try !signUp(within: .seconds(15), while: { $0 < usual + 100 }) {
      print("slow \(what): fewer than 120 connections were open at one time")
    }
    #expect(try signUp(within: .seconds(60), while: { $0 > usual + 30 }), "they are not cut")
    #expect(answered > 0)
    attack.send(signal: SIGKILL)
  }

  private func openDescriptors(of service: RunningService) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.process.id)/fd").count
  }
}
