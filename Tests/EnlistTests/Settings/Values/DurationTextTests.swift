import Testing

@testable import enlist

@Suite struct DurationTextTests {
  @Test(
    arguments: [
      ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)),
      ("1h", .seconds(3600)), ("0", .zero), ("0s", .zero),
    ] as [(String, Duration)]
  )
  func `reads a whole number and its unit`(_ text: String, _ duration: Duration) {
    #expect(DurationText.duration(of: text) == duration)
  }

  @Test(
    arguments: [
      "", "30", "s", "-1s", "+1s", "1.5s", " 1s", "1s ", "1 s", "1d", "1S", "1m30s", "٣s",
      "99999999999999999999s", "9223372036854775807h", "1000000h",
    ]
  )
  func `rejects what is no time`(_ text: String) {
    #expect(DurationText.duration(of: text) == nil)
  }

  @Test func `reads a range`() {
    #expect(DurationText.range(of: "8m..10m") == .seconds(480) ... .seconds(600))
  }

  @Test func `reads one time as a range of that time`() {
    #expect(DurationText.range(of: "8m") == .seconds(480) ... .seconds(480))
  }

  @Test(arguments: ["10m..8m", "8m.10m", "8m...10m", "..8m", "8m..", "..", "8..10m"])
  func `rejects what is no range`(_ text: String) {
    #expect(DurationText.range(of: text) == nil)
  }

  @Test(arguments: ["0s", "250ms", "1500ms", "30s", "90s", "5m", "1h"])
  func `writes a time as it reads it`(_ text: String) throws {
    let duration = try #require(DurationText.duration(of: text))
    #expect(DurationText.text(of: duration) == text)
  }
}
