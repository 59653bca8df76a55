import TestSupport
import Testing

@testable import enlist

/// The colors of the log on a terminal.
@Suite struct LogColorTests {
  @Test(
    arguments: [
      (true, [:], true), (true, ["NO_COLOR": ""], true), (true, ["TERM": "xterm"], true),
      (true, ["NO_COLOR": "1"], false), (true, ["TERM": "dumb"], false), (false, [:], false),
      (false, ["TERM": "xterm"], false),
    ] as [(Bool, [String: String], Bool)]
  )
  func `only a person who has not switched colors off sees them`(
    _ isTerminal: Bool, _ environment: [String: String], _ isWanted: Bool
  ) {
    #expect(LogColor.isWanted(isTerminal: isTerminal, environment: environment) == isWanted)
  }

  /// Starts the program on a terminal, where it logs a warning and fails; returns what is shown.
  private func show(_ format: String, _ environment: [String: String]) throws -> String {
    let serve = """
      enlist serve --listen 127.0.0.1:0 --max-connections 1000000 \
      --database sqlite:/nowhere/list.sqlite --log-format \(format)
      """
    // `script` runs a command on a new terminal.
    let output = try Child.run(
      [
        "prlimit", "--nofile=4096", "script", "--quiet", "--return", "--command", serve,
        "/dev/null",
      ],
      environment: environment
    ).output
    try #require(output.contains("max-connections"), "\(output)")
    return output
  }

  @Test func `a level has the color of its severity on a terminal`() throws {
    let output = try show("text", ["TERM": "xterm", "NO_COLOR": ""])
    #expect(output.contains(" \u{1B}[33mwarning\u{1B}[0m enlist: "), "\(output)")
  }

  @Test(arguments: [("text", "NO_COLOR", "1"), ("text", "TERM", "dumb"), ("json", "TERM", "xterm")])
  func `a terminal shows no colors where none are wanted`(
    _ format: String, _ name: String, _ value: String
  ) throws {
    var environment = ["TERM": "xterm", "NO_COLOR": ""]
    environment[name] = value
    let output = try show(format, environment)
    #expect(output.contains("warning"), "\(output)")
    #expect(!output.contains("\u{1B}"), "\(output)")
  }
}
