import Foundation
import TestSupport
import Testing

/// The program of `docs/operating/events.md` that keeps a copy of the list, while it and the service
/// are killed.
@Suite(.enabled(if: Program.isThere("python3"), "python3 is not installed: Scripts/bootstrap test"))
struct FollowTests {
  @Test func `a follower holds the exported list after restarts of both sides`() throws {
    let folder = try TemporaryFolder()
    let flags = RunningService.operatorFlags
    var service = try RunningService(flags, in: folder)
    let key = try service.makeKey("read,write,events")
    try follow([service], key, []) { round in
      if round.isMultiple(of: 2) { service.process.send(signal: SIGKILL) }
      _ = try service.endAndReadLog()
      service = try RunningService(flags, in: folder)
      return [service]
    }
  }

  @Test(.enabled(if: PostgreSQLServer.shared != nil, "PostgreSQL is not installed"))
  func `a follower of two replicas holds the exported list after restarts of both sides`() throws {
    let list = try ReplicatedList()
    var replicas = try (0..<2).map { _ in try list.replica(RunningService.operatorFlags) }
    let keys = try ChildProcess(
      "enlist",
      ["keys", "create", "--name", "x", "--scopes", "read,write,events", "--database", list.url])
    let key = String(decoding: try keys.readOutput(), as: UTF8.self)
      .trimmingCharacters(in: .newlines)
    try follow(replicas, key, ["--database", list.url]) { round in
      let ended = replicas.removeFirst()
      if round.isMultiple(of: 2) { ended.process.send(signal: SIGKILL) }
      _ = try ended.endAndReadLog()
      replicas.append(try list.replica(RunningService.operatorFlags))
      return replicas
    }
  }

  /// Signs people up and erases some, kills the follower and restarts a service, three times; then
  /// compares the copy with the export.
  private func follow(
    _ services: [RunningService], _ key: String, _ database: [String],
    restarting restart: (Int) throws -> [RunningService]
  ) throws {
    var services = services
    let folder = try TemporaryFolder()
    var count = 0
    for round in 0..<4 {
      let follower = try start(services[round % services.count], key, in: folder)
      for _ in 0..<150 {
        count += 1
        let service = services[count % services.count]
        #expect(try service.signUp("p\(count)@example.com").status == 202)
        guard count.isMultiple(of: 3) else { continue }
        let path = "/api/subscribers/\(count / 2)"
        let response =
          try count.isMultiple(of: 2)
          ? service.operatorRequest("DELETE", path, key: key, fields: ["If-Match: *"])
          : service.operatorRequest(
            "PUT", "\(path)/state", key: key, fields: ["If-Match: *"],
            json: #"{"state":"unsubscribed"}"#)
        #expect([200, 204, 404].contains(response.status))
      }
      follower.send(signal: SIGKILL)
      try follower.wait()
      services = try restart(round)
    }
    let follower = try start(services[0], key, in: folder)
    let expected = try exported(by: services[0], database)
    #expect(expected.count > 300)
    try Deadline(after: .seconds(30)).wait {
      try copied(in: folder) == expected
    }
    follower.send(signal: SIGTERM)
    try follower.wait()
  }

  private func start(
    _ service: RunningService, _ key: String, in folder: TemporaryFolder
  ) throws -> ChildProcess {
    let program = Repository.root.appending(path: "docs/operating/follow.py").path
    let url = "http://127.0.0.1:\(try service.operatorPort())"
    return try ChildProcess(
      environment: ["LIST_KEY": key], in: folder,
      through: ["sh", "-c", "exec python3 -B '\(program)' '\(url)' copy.sqlite"])
  }

  private func exported(by service: RunningService, _ database: [String]) throws -> [NSDictionary] {
    let arguments = ["export", "--format", "ndjson"] + database
    let export = try ChildProcess("enlist", arguments, in: service.folder)
    let lines = String(decoding: try export.readOutput(), as: UTF8.self).split(separator: "\n")
    #expect(try export.wait() == .exit(0))
    return try lines.map { try object(String($0)) }
  }

  private func copied(in folder: TemporaryFolder) throws -> [NSDictionary] {
    let file = try SQLiteFile(folder.path(of: "copy.sqlite"), busyTimeout: .seconds(5))
    return try file.texts("SELECT person FROM people ORDER BY id").map { try object($0) }
  }

  /// Parses a subscriber, without the owner's fields, which an export has only if they are set.
  private func object(_ json: String) throws -> NSDictionary {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return (try #require(object).filter { $0.key != "fields" }) as NSDictionary
  }
}
