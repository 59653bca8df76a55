import TestSupport
import Testing

/// Tests of `enlist templates`.
@Suite struct TemplatesTests {
  private static let names = ["confirm.txt", "confirm.html", "already.txt", "already.html"]

  @Test func `the written templates name their values and texts`() throws {
    let folder = try TemporaryFolder()
    let run = try CommandRun(["templates", "mine"], in: folder)
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(
      run.output.split(separator: "\n").map {
        $0.suffix(from: $0.lastIndex(of: "/") ?? $0.startIndex)
      }
        == Self.names.map { "/\($0)" }
    )
    let template = try folder.read("mine/confirm.html")
    #expect(template.hasPrefix("{{! Values: list, subject, language, direction, confirmURL,"))
    #expect(template.contains("{{! text.button: Confirm subscription }}"))
    #expect(try !folder.read("mine/already.txt").contains("confirmURL"))
  }

  @Test func `no file is overwritten`() throws {
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "already.html")
    let run = try CommandRun(["templates", folder.path], in: folder)
    #expect(run.end == .exit(1))
    #expect(run.errors.contains("already.html: the file exists"))
    #expect(try folder.read("already.html") == "mine")
    #expect(throws: (any Error).self) { try folder.read("confirm.html") }
    let file = try CommandRun(["templates", "already.html"], in: folder)
    #expect(file.end == .exit(1))
    #expect(file.errors.contains("already.html: the directory cannot be created"))
  }
}
