import MailingList
import Testing

@testable import PostgreSQLStorage

@Suite struct WireValueTests {
  @Test(
    arguments: [
      (true, [1]),
      (false, [0]),
      (Int16(-2), [0xFF, 0xFE]),
      (Int32(258), [0, 0, 1, 2]),
      (Int64(-1), [UInt8](repeating: 0xFF, count: 8)),
      ("", []),
      ("aé", [0x61, 0xC3, 0xA9]),
      ([UInt8](), []),
      ([0, 255] as [UInt8], [0, 255]),
      (Timestamp(millisecondsSince1970: 946_684_800_001), [0, 0, 0, 0, 0, 0, 3, 0xE8]),
      (
        Timestamp(millisecondsSince1970: 946_684_799_999),
        [255, 255, 255, 255, 255, 255, 0xFC, 0x18]
      ),
      (Timestamp.distantFuture, [0x7F, 255, 255, 255, 255, 255, 255, 255]),
      (Timestamp.distantPast, [0x80, 0, 0, 0, 0, 0, 0, 0]),
    ] as [(any WireValue & Hashable, [UInt8])]
  )
  func `writes and reads a value`(value: any WireValue & Hashable, expected: [UInt8]) {
    func check<Value: WireValue & Hashable>(_ value: Value) {
      var bytes: [UInt8] = []
      value.append(to: &bytes)
      #expect(bytes == expected)
      #expect(expected.withUnsafeBytes { Value.read($0) } == value)
    }
    check(value)
  }

  @Test func `replaces a null character, which the server rejects`() {
    var bytes: [UInt8] = [7]
    "a\u{0}b\u{0}".append(to: &bytes)
    #expect(bytes == [7, 0x61, 0xEF, 0xBF, 0xBD, 0x62, 0xEF, 0xBF, 0xBD])
  }

  @Test(
    arguments: [
      .max - 1, .min + 1, 9_224_318_016_000_000, -210_866_803_200_001,
    ] as [Int64]
  )
  func `writes a time that the server cannot represent as infinity`(milliseconds: Int64) {
    var bytes: [UInt8] = []
    Timestamp(millisecondsSince1970: milliseconds).append(to: &bytes)
    let expected: Int64 = milliseconds < 0 ? .min : .max
    #expect(bytes.withUnsafeBytes { Int64.read($0) } == expected)
  }

  @Test func `rounds microseconds down to milliseconds`() {
    func milliseconds(_ microseconds: Int64) -> Int64? {
      var bytes: [UInt8] = []
      microseconds.append(to: &bytes)
      return bytes.withUnsafeBytes { Timestamp.read($0)?.millisecondsSince1970 }
    }
    #expect(milliseconds(1999) == 946_684_800_001)
    #expect(milliseconds(-1) == 946_684_799_999)
    #expect(milliseconds(-1000) == 946_684_799_999)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 7, 9])
  func `rejects a number of the wrong size`(count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    bytes.withUnsafeBytes { bytes in
      if count != 2 { #expect(Int16.read(bytes) == nil) }
      if count != 4 { #expect(Int32.read(bytes) == nil) }
      if count != 8 { #expect(Int64.read(bytes) == nil) }
      if count != 8 { #expect(Timestamp.read(bytes) == nil) }
      if count != 1 { #expect(Bool.read(bytes) == nil) }
    }
  }

  @Test func `rejects a boolean that is neither, and a text that is not UTF-8`() {
    #expect(([2] as [UInt8]).withUnsafeBytes { Bool.read($0) } == nil)
    #expect(([0xC3] as [UInt8]).withUnsafeBytes { String.read($0) } == nil)
  }
}
