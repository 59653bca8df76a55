import Testing

@testable import PostgreSQLStorage

@Suite struct WireArrayTests {
  private static let numbers: [UInt8] = [
    0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 21, 0, 0, 0, 3, 0, 0, 0, 1,
    0, 0, 0, 2, 0, 7, 255, 255, 255, 255, 0, 0, 0, 2, 0, 8,
  ]

  private static func read(_ bytes: [UInt8]) -> [Int16?]? {
    bytes.withUnsafeBytes { WireArray.read($0, of: Int16.self) }
  }

  @Test func `writes and reads elements and nulls`() {
    var bytes: [UInt8] = []
    WireArray.append([7, nil, 8] as [Int16?], to: &bytes)
    #expect(bytes == Self.numbers)
    #expect(Self.read(bytes) == [7, nil, 8])
  }

  @Test func `marks only arrays with nulls`() {
    var bytes: [UInt8] = []
    WireArray.append(["a", ""] as [String?], to: &bytes)
    #expect(bytes[..<8] == [0, 0, 0, 1, 0, 0, 0, 0])
    #expect(bytes.withUnsafeBytes { WireArray.read($0, of: String.self) } == ["a", ""])
  }

  @Test func `an empty array has no dimension`() {
    var bytes: [UInt8] = []
    WireArray.append([] as [Int16?], to: &bytes)
    #expect(bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 21])
    #expect(Self.read(bytes) == [])
  }

  @Test func `rejects an array that ends early, at every byte`() {
    for count in 0..<Self.numbers.count {
      #expect(Self.read(Array(Self.numbers.prefix(count))) == nil, "\(count) bytes")
    }
    #expect(Self.read(Self.numbers + [0]) == nil)
  }

  @Test(
    arguments: [
      // The number of dimensions, the type, the count, and the length of the first element.
      (3, 2), (3, 0xFF), (11, 23), (12, 0x7F), (12, 0xFF), (15, 4), (23, 3), (20, 0x7F), (20, 0x80),
    ] as [(Int, UInt8)]
  )
  func `rejects an array with a wrong header or length`(index: Int, byte: UInt8) {
    var bytes = Self.numbers
    bytes[index] = byte
    #expect(Self.read(bytes) == nil)
  }

  @Test func `a query keeps its parameters in one buffer`() {
    var query = Query("SELECT $1, $2, $3, $4")
    query.bind(Int16(1))
    query.bind(String?.none)
    query.bind("")
    query.bind(array: ["ab"] as [String?])
    #expect(query.types == [.int2, .text, .text, .textArray])
    #expect(query.ranges == [0..<2, nil, 2..<2, 2..<28])
    #expect(query.bytes.count == 28)
  }
}
