import Security
import Testing

@Suite struct TextHashTests {
  @Test func `hashes each text with its length`() {
    #expect(TextHash.sha256(of: ["a", "", "é"]) == SHA256.hash(Array("1:a0:2:é".utf8)))
    #expect(TextHash.sha256(of: []) == SHA256.hash([]))
  }

  @Test func `texts that are split elsewhere have another hash`() {
    let hashes: Set = [
      TextHash.sha256(of: ["ab", "c"]), TextHash.sha256(of: ["a", "bc"]),
      TextHash.sha256(of: ["abc"]), TextHash.sha256(of: ["abc", ""]),
    ]
    #expect(hashes.count == 4)
  }
}
