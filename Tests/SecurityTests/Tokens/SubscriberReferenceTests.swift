import Security
import Testing

@Suite struct SubscriberReferenceTests {
  private let keys = MailKeys(Keyring(Secret()))
  private let subscriber = SubscriberReference(id: 7, createdAt: 1_800_000_000_000)

  @Test(arguments: [0, 1, 7, 1 << 62, .max] as [Int64])
  func `a link leads back to its subscriber`(id: Int64) throws {
    let reference = SubscriberReference(id: id, createdAt: 1_800_000_000_000)
    let token = try #require(MailToken(keys.token(of: reference).text))
    #expect(keys.subscriber(of: token) == reference)
  }

  @Test func `a subscriber has one link, which differs from every other`() {
    let others = [
      SubscriberReference(id: 8, createdAt: subscriber.createdAt),
      SubscriberReference(id: 7, createdAt: subscriber.createdAt + 1),
    ]
    let text = keys.token(of: subscriber).text
    #expect(keys.token(of: subscriber).text == text)
    // The two references differ in a bit; nearly all of the characters do.
    for other in others.map({ keys.token(of: $0).text }) {
      #expect(zip(text, other).count { $0 == $1 } < 12)
    }
  }

  @Test func `no changed token leads to a subscriber`() {
    let text = Array(keys.token(of: subscriber).text.utf8)
    for position in text.indices {
      for byte in [UInt8(ascii: "A"), UInt8(ascii: "w")] where byte != text[position] {
        var other = text
        other[position] = byte
        guard let token = MailToken(String(decoding: other, as: UTF8.self)) else { continue }
        #expect(keys.subscriber(of: token) == nil)
      }
    }
  }

  /// More than can agree in one byte.
  @Test func `no other token leads to a subscriber`() {
    for number in 0..<UInt16(4096) {
      let mail = [UInt8(number >> 8), UInt8(number & 255)]
      #expect(keys.subscriber(of: keys.token(.confirm, ofMail: mail)) == nil)
    }
  }

  @Test func `neither the link of a mail nor of another secret leads to a subscriber`() {
    #expect(keys.subscriber(of: keys.token(.unsubscribe, ofMail: [1])) == nil)
    let other = MailKeys(Keyring(Secret()))
    #expect(keys.subscriber(of: other.token(of: subscriber)) == nil)
  }

  @Test func `a link survives one replacement of the secret`() {
    let (old, new) = (Secret(), Secret())
    let token = MailKeys(Keyring(old)).token(of: subscriber)
    let after = MailKeys(Keyring(new, previous: old))
    #expect(after.subscriber(of: token) == subscriber)
    #expect(after.token(of: subscriber).text != token.text)
  }
}
