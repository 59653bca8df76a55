import Foundation
import TestSupport
import Testing

/// Tests of the commands in the README and other documents, and their printed output.
@Suite struct ReadmeTests {
  @Test func `the commands in the README print the output it shows`() throws {
    let examples = try Document("README.md").examples
    #expect(examples.count == 7)
    let folder = try Folder()
    let shell = try DocumentShell(in: folder)

    // The first command starts the service; the second follows the stream until the end.
    let first = try #require(examples.first)
    #expect(first.command == "Scripts/run")
    let greeting = try shell.startService(first.command)
    #expect(first.isShown(by: greeting), "\(greeting)")
    let stream = try #require(examples.dropFirst().first)
    let reader = try shell.start(stream.command)
    try eventually("the preamble after \(reader.output)") { reader.output.contains(": ok\n") }

    for example in examples.dropFirst(2) {
      let lines: [String]
      if let port = example.command.firstMatch(of: /--listen 127\.0\.0\.1:(\d+)/)?.1 {
        lines = try shell.startService(example.command, at: try #require(UInt16(port)))
      } else {
        if example.command.contains("mail/*.eml") {
          // A reader is slower than the mail.
          try eventually("a mail") {
            try FileManager.default.contentsOfDirectory(atPath: folder("mail"))
              .contains { $0.hasSuffix(".eml") }
          }
        }
        lines = try shell.lines(of: example)
      }
      #expect(example.isShown(by: lines), "\(example.command) printed \(lines)")
    }

    let received = try stream.output.map { _ in try reader.nextLine() ?? "" }
    #expect(stream.isShown(by: received), "the stream contained \(received)")
    withExtendedLifetime(shell) {}
  }

  /// The documents whose commands need only a service.
  private static let documents = [
    "docs/commands.md", "docs/embedding.md", "docs/operating/backup.md", "docs/privacy.md",
    "docs/streams.md",
  ]

  @Test func `a test compares each printed output in a document with a real one`() throws {
    let folder = Repository.root.appending(path: "docs").path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let pages = try files.filter { $0.hasSuffix(".md") }.map { try Document("docs/\($0)") }
      .filter { $0.text.contains("```console") }
    // HeldMailTests and SendingDocumentTests need mails and people.
    let tested = Self.documents + ["docs/mail.md", "docs/sending.md"]
    #expect(pages.map(\.path).sorted() == tested.sorted())
    for page in pages {
      let count = page.text.components(separatedBy: "```console").count - 1
      #expect(page.examples.count == count, "\(page.path)")
    }
  }

  @Test(arguments: documents)
  func `the commands in a document print the output it shows`(_ path: String) throws {
    let document = try Document(path)
    #expect(!document.examples.isEmpty)
    let shell = try DocumentShell(in: try Folder())
    // The flags for the examples are in a comment.
    let flags = document.text.firstMatch(of: /<!-- service: (.*) -->/)?.1 ?? ""
    _ = try shell.startService("Scripts/run serve \(flags)")
    for example in document.examples {
      let lines = try shell.lines(of: example)
      #expect(example.isShown(by: lines), "\(example.command) printed \(lines)")
    }
  }
}
