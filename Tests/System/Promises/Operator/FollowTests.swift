import Foundation
import Glibc
import TestSupport
import Testing

/// The program of `docs/operating/events.md` that keeps a copy of the list, while it and the service
/// are killed.
@Suite(.enabled(if: Child.finds("python3"), "python3 is not installed: Scripts/bootstrap test"))
struct FollowTests {
  @Test func `a follower holds the exported list after restarts of both sides`() throws {
    try expectCopy(of: [try Enlist(.operating)])
  }

  @Test(.needsPostgreSQL)
  func `a follower of two replicas holds the exported list after restarts of both sides`() throws {
    let list = try ReplicatedList()
    try expectCopy(of: (0..<2).map { _ in try list.replica(.operating) })
  }

  /// Signs people up and erases some, kills the follower and restarts a service, four times; then
  /// compares the copy with the export.
  private func expectCopy(of services: [Enlist]) throws {
    let key = try services[0].makeKey("read,write,events")
    let folder = try Folder()
    var count = 0
    for round in 0..<4 {
      let follower = try follow(services[round % services.count], key, in: folder)
      for _ in 0..<60 {
        count += 1
        let service = services[count % services.count]
        try service.signUp("p\(count)@example.com").expect(202)
        guard count.isMultiple(of: 3) else { continue }
        let path = "/api/subscribers/\(count / 2)"
        let response =
          try count.isMultiple(of: 2)
          ? service.operatorRequest("DELETE", path, key: key, fields: ["If-Match: *"])
          : service.operatorRequest(
            "PUT", "\(path)/state", key: key, fields: ["If-Match: *"],
            json: #"{"state":"unsubscribed"}"#)
        #expect([200, 204, 404].contains(response.status), "\(response)")
      }
      try follower.wait(after: SIGKILL)
      try services[round % services.count]
        .restart(after: round.isMultiple(of: 2) ? SIGKILL : SIGTERM)
    }
    let follower = try follow(services[0], key, in: folder)
    let export = try services[0].run("export", "--format", "ndjson")
    let expected = try export.output.split(separator: "\n").map { try object(String($0)) }
    #expect(expected.count > 150, "\(export.errors)")
    try eventually("a copy of the list, but \(follower.errors)") {
      let file = try SQLiteFile(folder("copy.sqlite"), busyTimeout: .seconds(5))
      // On a slow machine, each program before may have been killed before it made the table.
      let copied = try? file.texts("SELECT person FROM people ORDER BY id")
      return try copied?.map(object) == expected
    }
  }

  private func follow(_ service: Enlist, _ key: String, in folder: Folder) throws -> Child {
    let program = Repository.root.appending(path: "docs/operating/follow.py").path
    let url = "http://127.0.0.1:\(try service.operatorPort())"
    return try Child(
      ["python3", "-B", program, url, "copy.sqlite"], in: folder, environment: ["LIST_KEY": key])
  }

  /// Parses a subscriber, without the owner's fields, which an export has only if they are set.
  private func object(_ json: String) throws -> NSDictionary {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return (try #require(object).filter { $0.key != "fields" }) as NSDictionary
  }
}
