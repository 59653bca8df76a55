import Glibc
import Signals
import Logging
import MailingList
import Testing

@testable import enlist

@Suite struct LineLogHandlerTests {
  @Test func `a text log line contains time, level, logger, message and sorted metadata`() {
    let lines = log(.text) { $0.warning("Lowered", metadata: ["b": "two words", "a": "1"]) }
    #expect(lines == [#"1970-01-01T00:00:00.000Z warning test: Lowered a=1 b="two words""#])
  }

  @Test func `a text log line for the journal begins with its priority`() {
    let handler = LineLogHandler(label: "a", level: .trace, format: .text, hasPriority: true) { _ in
    }
    let priorities = Logger.Level.allCases.map { handler.line($0, "b").prefix(3) }
    #expect(priorities == ["<7>", "<7>", "<6>", "<6>", "<4>", "<3>", "<3>"])
  }

  @Test
  func `standard error is the journal only if its device and inode are those of the variable`()
    throws
  {
    var status = stat()
    let descriptor = open("/dev/null", O_RDONLY)
    defer { close(descriptor) }
    try #require(fstat(descriptor, &status) == 0)
    for (stream, isWanted) in [
      ("\(status.st_dev):\(status.st_ino)", true), ("1:2", false), ("", false),
    ] {
      let environment = ["JOURNAL_STREAM": stream]
      #expect(
        JournalPriority.isWanted(environment: environment, descriptor: descriptor) == isWanted)
    }
    #expect(!JournalPriority.isWanted(environment: [:], descriptor: descriptor))
  }

  @Test func `a JSON log line is one object`() {
    let lines = log(.json) { $0.info("\"Quoted\"", metadata: ["key": "a\nb"]) }
    #expect(
      lines == [
        #"{"time":"1970-01-01T00:00:00.000Z","level":"info","logger":"test","#
          + #""message":"\"Quoted\"","metadata":{"key":"a\nb"}}"#
      ]
    )
  }

  @Test(arguments: [LogFormat.text, .json])
  func `logged text cannot start a new line or control a terminal`(_ format: LogFormat) {
    let hostile = "a\r\nb\u{1B}[2J\u{9B}\u{85}\u{2028}\u{202E}\u{7F}\0"
    let lines = log(format) { $0.error("\(hostile)", metadata: ["\(hostile)": "\(hostile)"]) }
    #expect(lines.count == 1)
    let isFit = lines.joined().unicodeScalars.allSatisfy {
      !$0.properties.isPatternWhitespace || $0 == " "
    }
    #expect(isFit)
    #expect(!lines.joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
    #expect(!lines.joined().unicodeScalars.contains("\u{202E}"))
  }

  @Test(arguments: ["a\u{20}\u{301}b", "a=\u{338}b", "a\"\u{301}b"])
  func `a combining mark does not hide a separator in the value of metadata`(_ value: String) {
    let lines = log(.text) { $0.error("Failed", metadata: ["key": "\(value)"]) }
    let line = "1970-01-01T00:00:00.000Z error test: Failed key=\(LineText.quoted(value))"
    #expect(lines.map { Array($0.utf8) } == [Array(line.utf8)])
  }

  @Test func `events below the log level are not written`() {
    #expect(log(.text) { $0.debug("Quiet") }.isEmpty)
  }

  private func log(_ format: LogFormat, _ body: (Logger) -> Void) -> [String] {
    let lines = Lines()
    let handler = LineLogHandler(
      label: "test", level: .info, format: format, now: { Timestamp(millisecondsSince1970: 0) },
      write: { line in lines.all.withLock { $0.append(line) } })
    body(Logger(label: "test") { _ in handler })
    return lines.all.withLock { $0 }
  }
}

/// A recorder of written lines.
private final class Lines: Sendable {
  let all = Lock<[String]>([])
}
