import ArgumentParser
import TestSupport
import Testing

@testable import enlist

/// Tests of the scripts with which shells complete commands and flags.
@Suite struct CompletionTests {
  @Test(arguments: ["bash", "zsh", "fish"])
  func `the completion script of a shell knows all commands and settings`(_ shell: String) throws {
    let folder = try TemporaryFolder()
    let script = try CommandRun(["--generate-completion-script", shell])
    #expect(script.end == .exit(0))
    #expect(script.errors.isEmpty)
    for command in EnlistCommand.configuration.subcommands {
      let name = command.configuration.commandName ?? command._commandName
      #expect(script.output.contains(name), "\(name)")
    }
    for row in SettingTable.rows { #expect(script.output.contains(row.name), "\(row.name)") }
    try folder.write(script.output, to: "script")
    // Other shells may not be installed.
    let launcher = ["sh", "-c", "command -v \(shell) > /dev/null || exit 0; \(shell) -n script"]
    let check = try ChildProcess(in: folder, through: launcher)
    #expect(try check.wait() == .exit(0), "\(check.standardError)")
  }
}
