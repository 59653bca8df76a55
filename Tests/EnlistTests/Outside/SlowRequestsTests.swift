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
    var answered = 0
    func signUp(while goesOn: (Int) -> Bool) throws {
      let deadline = Deadline(after: .seconds(90))
      while goesOn(try openDescriptors(of: service)) {
        #expect(try service.signUp("a\(answered)@example.org").status == 202)
        answered += 1
        try #require(deadline.milliseconds > 0, "\(answered) sign-ups were answered meanwhile")
      }
    }
    // Not all at once: on a busy machine the first are cut before the last have come.
    try signUp(while: { $0 < 120 })
    try signUp(while: { $0 > 50 })
    #expect(answered > 0)
    attack.send(signal: SIGKILL)
  }

  private func openDescriptors(of service: RunningService) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.process.id)/fd").count
  }
}
