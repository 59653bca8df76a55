import Security
import Testing

@Suite struct SecureBytesTests {
  @Test func `random bytes differ from call to call`() {
    let made = Set((0..<100).map { _ in SecureBytes.random(count: 32) })
    #expect(made.count == 100)
    #expect(made.allSatisfy { $0.count == 32 })
  }

  @Test func `no random bytes are an empty array`() {
    #expect(SecureBytes.random(count: 0).isEmpty)
  }

  @Test(arguments: 0..<256)
  func `compares bytes that differ in one bit`(position: Int) {
    let bytes = SecureBytes.random(count: 32)
    var other = bytes
    #expect(SecureBytes.areEqual(bytes, other))
    other[position / 8] ^= 1 << UInt8(position % 8)
    #expect(!SecureBytes.areEqual(bytes, other))
  }

  @Test func `bytes of different number are different`() {
    #expect(!SecureBytes.areEqual([], [0]))
    #expect(!SecureBytes.areEqual([0, 0], [0]))
    #expect(SecureBytes.areEqual([], []))
  }
}
