import ArgumentParser
import Foundation
import HTTPSignals
import HTTPTypes
import MailingList
import TestSupport
import Testing

@testable import Services
@testable import enlist

/// Tests that what the documents name exists.
@Suite struct DocumentsTests {
  /// The Markdown pages, and the files with settings.
  private static let paths: [String] = {
    let folder = Repository.root.appending(path: "docs").path
    let pages = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".md") }
      .map { "docs/\($0)" }
    let others = [
      "README.md", ".github/SECURITY.md", "compose.yaml", "Dockerfile", "debian/enlist.conf",
      "debian/enlist.service",
    ]
    return pages.sorted() + others
  }()

  /// The commands of the program, with the flags in their help.
  private static let commands: [String: Set<String>] = {
    func flags(_ help: String) -> Set<String> {
      Set(help.matches(of: /--([a-z][a-z0-9-]*)/).map { String($0.1) })
    }
    var commands: [String: Set<String>] = [:]
    for command in EnlistCommand.configuration.subcommands {
      let all = [command] + command.configuration.subcommands
      commands[command._commandName] = all.reduce(into: []) { known, command in
        known.formUnion(flags(EnlistCommand.helpMessage(for: command, columns: 200)))
      }
    }
    commands[""] = flags(EnlistCommand.helpMessage(columns: 200))
      .union(["generate-completion-script"])
    return commands
  }()

  private static let flags = commands.values.reduce(into: Set<String>()) { $0.formUnion($1) }

  /// The commands of the program in a document: lines of code, and code within a sentence.
  private static func commandLines(in text: String) -> [String] {
    let lines = text.matches(of: /(?m)^(?:\$ |sudo )?(?:enlist|Scripts\/run) ([^|\n]*)/)
    let spans = text.matches(of: /`enlist ([^`\n]+)`/)
    return (lines + spans).map { String($0.1) }
  }

  @Test(arguments: paths)
  func `each command and flag in a document exists`(_ path: String) throws {
    let document = try Document(path)
    guard path.hasSuffix(".md") else { return }
    for line in Self.commandLines(in: document.text) {
      let words = line.split(separator: " ")
      let first = words.first.map(String.init) ?? ""
      let name = first.wholeMatch(of: /[a-z][a-z-]*/) == nil ? "serve" : first
      let known = Self.commands[name]
      #expect(known != nil, "\(path): enlist \(line)")
      for flag in line.matches(of: /(?:^| )--([a-z][a-z0-9-]*)/) {
        let flag = String(flag.1)
        let isKnown = (known?.contains(flag) ?? true) || Self.commands[""]?.contains(flag) == true
        #expect(isKnown, "\(path): enlist \(line)")
      }
    }
    for span in document.text.matches(of: /`--([a-z][a-z0-9-]*)/) {
      #expect(Self.flags.contains(String(span.1)), "\(path): --\(span.1)")
    }
  }

  @Test(arguments: paths)
  func `each environment variable in a document is a setting`(_ path: String) throws {
    let names = (SettingTable.rows.map(\.name) + ["config"]).map { name in
      "ENLIST_" + name.uppercased().replacing("-", with: "_")
    }
    let known = Set(names + names.map { "\($0)_FILE" })
    for name in try Document(path).text.matches(of: /ENLIST_[A-Z][A-Z_]*[A-Z]/) {
      #expect(known.contains(String(name.0)), "\(path): \(name.0)")
    }
  }

  @Test(arguments: paths)
  func `each route in a document exists`(_ path: String) throws {
    let table = SignUpService.table
    let text = try Document(path).text
    let routes = Set(
      table.map { "\($0.method) \($0.pattern)" }
        + Operator.table.map { "\($0.method) \($0.pattern)" }
    )
    for route in text.matches(of: /`(GET|HEAD|POST|PUT|DELETE) (\/[^ `?]*)/) {
      let method = route.1 == "HEAD" ? "GET" : route.1
      #expect(routes.contains("\(method) \(route.2)"), "\(path): \(route.0)")
    }
    // Paths of files begin with other names.
    let beginnings = Set(table.compactMap { $0.pattern.split(separator: "/").first })
    for span in text.matches(of: /`(\/[^ `?]+)[`?]/) {
      guard let first = span.1.split(separator: "/").first, beginnings.contains(first) else {
        continue
      }
      let isKnown = table.contains { route in
        span.1.hasSuffix("/") ? route.pattern.hasPrefix(span.1) : route.pattern == span.1
      }
      #expect(isKnown, "\(path): \(span.1)")
    }
  }

  @Test(arguments: paths)
  func `each link to a file of the repository leads to a file and a heading`(
    _ path: String
  ) throws {
    let document = try Document(path)
    let folder = Repository.root.appending(path: path).deletingLastPathComponent()
    for link in document.text.matches(of: /\]\(([^):#\s]*)(?:#([^)\s]+))?\)/) {
      let target =
        link.1.isEmpty
        ? Repository.root.appending(path: path)
        : folder.appending(path: String(link.1)).standardized
      #expect(FileManager.default.fileExists(atPath: target.path), "\(path): \(link.0)")
      guard let anchor = link.2, target.pathExtension == "md" else { continue }
      let text = try String(contentsOf: target, encoding: .utf8)
      let anchors = text.matches(of: /(?m)^#+ (.*)$/).map { heading in
        heading.1.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
          .replacing(" ", with: "-")
      }
      #expect(anchors.contains(String(anchor)), "\(path): \(link.0)")
    }
  }

  @Test func `the table of commands has each command`() throws {
    let rows = try Document("docs/commands.md").text.matches(of: /(?m)^\| `enlist ([a-z-]+)/)
    let names = Self.commands.keys.filter { !$0.isEmpty }
    #expect(rows.map { String($0.1) }.sorted() == names.sorted())
  }

  @Test func `the documents name the number of tries that a code has`() throws {
    let formatter = NumberFormatter()
    formatter.numberStyle = .spellOut
    formatter.locale = Locale(identifier: "en")
    let number = try #require(formatter.string(from: ConfirmationLimits.codeTries as NSNumber))
    for path in ["docs/mail.md", "docs/security.md"] {
      let numbers = try Document(path).text.matches(of: /([a-z]+) tries/).map { String($0.1) }
      #expect(numbers == [number], "\(path)")
    }
  }

  @Test(arguments: ["docs/mail.md", "docs/operating/troubleshooting.md"])
  func `the documents say how long who left without having confirmed gets no mail`(
    _ path: String
  ) throws {
    let days = Int(Membership.peace / .seconds(86_400))
    #expect(try Document(path).text.contains("no mail for \(days) days"))
  }

  @Test(arguments: paths)
  func `each form in a document is sent in UTF-8, whatever the encoding of its page`(
    _ path: String
  ) throws {
    for form in try Document(path).text.matches(of: /<form [^>]*>/) {
      #expect(form.0.contains("accept-charset=\"utf-8\""), "\(path): \(form.0)")
    }
  }

  @Test(arguments: ["confirm", "unsubscribe", "/confirm"])
  func `the documented Caddy logs no token of a link`(_ path: String) throws {
    let text = try Document("docs/operating/proxies.md").text
    let rule = try #require(text.firstMatch(of: /request>uri regexp (\S+) \/\$1\/\n/))
    // Caddy replaces each match by what its first group contains.
    let expression = try Regex(String(rule.1))
    let token = String(repeating: "Ab1_", count: 11).dropLast()
    for end in ["", "/mail", "?locale=de"] {
      let logged = "/\(path)/\(token)\(end)".replacing(expression) { match in
        "/\(match.output[1].substring ?? "")/"
      }
      #expect(logged == "/\(path.drop { $0 == "/" })/")
    }
    #expect("/subscribers?confirm".firstMatch(of: expression) == nil)
  }

  @Test func `the images, the package and the newest changes have the version of the program`()
    throws
  {
    let label = #"org.opencontainers.image.version="\#(EnlistCommand.versionNumber)""#
    #expect(try Document("Dockerfile").text.components(separatedBy: label).count == 3)
    let package = "enlist (\(EnlistCommand.versionNumber)) "
    #expect(try Document("debian/changelog").text.hasPrefix(package))
    let changes = try Document("CHANGELOG.md").text.firstMatch(of: /(?m)^## (\S+)/)
    #expect(changes.map { String($0.1) } == EnlistCommand.versionNumber)
  }
}
