import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the commands in the README and their printed output.
@Suite struct ReadmeTests {
  @Test func `the commands in the README print the output it shows`() throws {
    let examples = try Document("README.md").examples
    #expect(examples.count == 7)
    let folder = try TemporaryFolder()
    let shell = DocumentShell(folder: folder)

    // The first command starts the service; the second follows the stream until the end.
    let first = try #require(examples.first)
    #expect(first.command == "Scripts/run")
    let service = try shell.startService(first.command)
    #expect(first.isShown(by: [service.line]))
    var services = [service.process]
    defer { for service in services { service.send(signal: SIGTERM) } }

    let stream = try #require(examples.dropFirst().first)
    let reader = try shell.start(stream.command)
    var received: [String] = []
    while received.count < 2, let line = try reader.readLine() { received.append(line) }

    for example in examples.dropFirst(2) {
      if let port = example.command.firstMatch(of: /--listen 127\.0\.0\.1:(\d+)/)?.1 {
        let other = try shell.startService(example.command, at: try #require(UInt16(port)))
        #expect(example.isShown(by: [other.line]))
        services.append(other.process)
        continue
      }
      if example.command.contains("mail/*.eml") {
        // A reader is slower than the mail.
        try Deadline.soon.wait {
          let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "mail"))
          return names.contains { $0.hasSuffix(".eml") }
        }
      }
      let lines = try shell.lines(of: example)
      #expect(example.isShown(by: lines), "\(example.command) printed \(lines)")
    }

    while received.count < stream.output.count, let line = try reader.readLine() {
      received.append(line)
    }
    #expect(stream.isShown(by: received), "the stream contained \(received)")
  }

  /// The documents whose commands need only a service.
  private static let documents = [
    "docs/commands.md", "docs/embedding.md", "docs/operating/backup.md", "docs/privacy.md",
    "docs/streams.md",
  ]

  @Test func `a test compares each printed output in a document with a real one`() throws {
    let folder = Repository.root.appending(path: "docs").path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let pages = try files.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
      .filter { try Document($0).text.contains("```console") }
    // HeldMailTests and SendingDocumentTests need mails and people.
    #expect(pages.sorted() == (Self.documents + ["docs/mail.md", "docs/sending.md"]).sorted())
    for page in pages {
      let text = try Document(page).text
      let count = text.components(separatedBy: "```console").count - 1
      #expect(try Document(page).examples.count == count, "\(page)")
    }
  }

  @Test(arguments: documents)
  func `the commands in a document print the output it shows`(_ path: String) throws {
    let document = try Document(path)
    #expect(!document.examples.isEmpty)
    let folder = try TemporaryFolder()
    let shell = DocumentShell(folder: folder)
    let service = try shell.startService(
      (["Scripts/run serve"] + document.serviceFlags).joined(separator: " "))
    defer { service.process.send(signal: SIGTERM) }
    for example in document.examples {
      let lines = try shell.lines(of: example)
      #expect(example.isShown(by: lines), "\(example.command) printed \(lines)")
    }
  }
}
