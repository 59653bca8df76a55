import MailingList
import TestSupport
import Testing

@Suite struct ExecutionIDTests {
  @Test(
    arguments: [
      (zeros(44), zeros(36)),
      (String(repeating: "f", count: 44), String(repeating: "v", count: 35) + "g"),
      ("80" + zeros(42), "g" + zeros(35)),
      (zeros(42) + "01", zeros(35) + "g"),
      // "foobar" from RFC 4648 §10, in lowercase.
      ("666f6f626172" + zeros(32), "cpnmuoj1e8" + zeros(26)),
    ] as [(String, String)]
  )
  func `the text of an execution id is its bytes in base32hex`(
    hexadecimal: String, text: String
  )
    throws
  {
    let bytes = bytes(hexadecimal)
    let id = try #require(ExecutionID(bytes: bytes))
    #expect(id.bytes == bytes)
    #expect(id.description == text)
    #expect(ExecutionID(text) == id)
  }

  @Test func `an execution id survives the round trip through text and bytes`() throws {
    var generator = RandomNumbers()
    for _ in 0..<1000 {
      let id = ExecutionID(at: .now, using: &generator)
      #expect(ExecutionID(id.description) == id)
      #expect(ExecutionID(bytes: id.bytes) == id)
    }
  }

  @Test(
    arguments: [
      "",
      zeros(35),
      zeros(37),
      zeros(35) + "w",
      zeros(35) + "G",
      zeros(35) + "1",
      zeros(35) + "h",
      zeros(34) + "é",
      "-" + zeros(35),
      " " + zeros(35),
    ]
  )
  func `rejects text that is not an execution id`(text: String) {
    #expect(ExecutionID(text) == nil)
  }

  @Test(arguments: [0, 21, 23])
  func `rejects execution ids with a wrong number of bytes`(count: Int) {
    #expect(ExecutionID(bytes: [UInt8](repeating: 0, count: count)) == nil)
  }

  @Test(
    arguments: [
      (0, 1),
      (255, 256),
      (1_800_000_000_000, 1_800_000_000_001),
      (0xFFFF_FFFF_FFFE, 0xFFFF_FFFF_FFFF),
    ] as [(Int64, Int64)]
  )
  func `execution ids sort by time, as bytes and as text`(earlier: Int64, later: Int64) {
    var highest = Constant(value: .max)
    var lowest = Constant(value: 0)
    let first = ExecutionID(at: Timestamp(millisecondsSince1970: earlier), using: &highest)
    let second = ExecutionID(at: Timestamp(millisecondsSince1970: later), using: &lowest)
    #expect(first.bytes.lexicographicallyPrecedes(second.bytes))
    #expect(first.description < second.description)
  }

  @Test func `an execution id consists of the time and the numbers of the generator`() {
    var generator = Constant(value: 0x0102_0304_0506_0708)
    let id = ExecutionID(at: Timestamp(millisecondsSince1970: 0x0A0B_0C0D_0E0F), using: &generator)
    let random: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    #expect(id.bytes == [0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F] + random + random)
  }

  @Test func `an execution id clamps a time before 1970 to 1970`() {
    var generator = Constant(value: 0)
    let id = ExecutionID(at: Timestamp(millisecondsSince1970: -1), using: &generator)
    #expect(id.bytes == [UInt8](repeating: 0, count: 22))
  }
}

private func zeros(_ count: Int) -> String {
  String(repeating: "0", count: count)
}

private func bytes(_ hexadecimal: String) -> [UInt8] {
  var rest = hexadecimal[...]
  var bytes: [UInt8] = []
  while !rest.isEmpty {
    bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
    rest = rest.dropFirst(2)
  }
  return bytes
}

private struct Constant: RandomNumberGenerator {
  let value: UInt64

  mutating func next() -> UInt64 { value }
}
