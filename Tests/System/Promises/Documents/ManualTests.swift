import ArgumentParser
import TestSupport
import Testing

@testable import enlist

/// The man page, which is not generated here, because the build of its generator takes minutes.
@Suite struct ManualTests {
  /// The names of all commands of the program, with `help`.
  private static let names: [String] = {
    func names(of command: any ParsableCommand.Type) -> [String] {
      [command._commandName] + command.configuration.subcommands.flatMap { names(of: $0) }
    }
    return names(of: EnlistCommand.self) + ["help"]
  }()

  /// Runs the end of the script, which reads a page, on one with some commands.
  private func check(_ names: [String]) throws -> Child.Outcome {
    let script = try Document("Scripts/manual").text
    let start = try #require(script.firstRange(of: "\ncommands=$(")).lowerBound
    let folder = try Folder()
    try folder.write(names.map { ".It Em \($0)\n" }.joined(), to: "enlist.1")
    return try Child.run(
      ["bash", "-c", "set -euo pipefail\nprogram=enlist page=enlist.1\n\(script[start...])"],
      in: folder)
  }

  @Test func `the man page is complete only with every command of the program`() throws {
    try check(Self.names).expect(0)
    for name in Set(Self.names).subtracting(["enlist", "help"]) {
      let run = try check(Self.names.filter { $0 != name }).expect(1)
      #expect(run.errors == "Scripts/manual: enlist.1 lacks the command \(name)\n")
    }
  }
}
