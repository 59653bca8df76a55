import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import enlist

/// Tests of what the program writes for others: templates of mails, and scripts with which shells
/// complete commands and flags.
@Suite struct TemplatesTests {
  @Test func `the written templates name their values and texts`() throws {
    let folder = try Folder()
    let run = try Child.run(["enlist", "templates", "mine"], in: folder)
    #expect(run.end == .exit(0), "\(run.errors)")
    let names = run.output.split(separator: "\n").map { $0.split(separator: "/").last ?? "" }
    #expect(names == ["confirm.txt", "confirm.html", "already.txt", "already.html"])
    let template = try folder.read("mine/confirm.html")
    #expect(template.hasPrefix("{{! Values: list, subject, language, direction, confirmURL,"))
    #expect(template.contains("{{! text.button: Confirm subscription }}"), "\(template)")
    let already = try folder.read("mine/already.txt")
    #expect(!already.contains("confirmURL"), "\(already)")
  }

  @Test func `no file is overwritten`() throws {
    let folder = try Folder()
    try folder.write("mine", to: "already.html")
    for (target, reason) in [
      (folder.path, "the file exists"), ("already.html", "the directory cannot be created"),
    ] {
      let run = try Child.run(["enlist", "templates", target], in: folder)
      #expect(run.end == .exit(1))
      #expect(run.errors.contains("already.html: \(reason)"), "\(run.errors)")
      let (names, content) = (try folder.names, try folder.read("already.html"))
      #expect(names == ["already.html"])
      #expect(content == "mine")
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `the completion script of a shell knows all commands and settings`(_ shell: String) throws {
    let script = try Child.run(["enlist", "--generate-completion-script", shell])
    #expect(script.end == .exit(0))
    #expect(script.errors == "")
    for command in EnlistCommand.configuration.subcommands {
      let name = command.configuration.commandName ?? command._commandName
      #expect(script.output.contains(name), "\(name)")
    }
    for row in SettingTable.rows { #expect(script.output.contains(row.name), "\(row.name)") }
    // Other shells may not be installed.
    guard Child.finds(shell) else { return }
    let check = try Child.run([shell, "-n", "/dev/stdin"], input: script.output)
    #expect(check.end == .exit(0), "\(check.errors)")
  }
}
