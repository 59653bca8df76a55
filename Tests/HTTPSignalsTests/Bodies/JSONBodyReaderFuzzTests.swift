import Foundation
import SignalsTesting
import Testing

@testable import HTTPSignals

/// A comparison with Foundation on randomly mutated bodies.
///
/// The alphabet contains only input on which the two have to agree: no byte 0 (Foundation takes it
/// as a sign of UTF-16), no numbers of more than a few digits, no nesting deeper than 32.
/// Foundation accepts a comma before a closing bracket; the table of malformed bodies covers that
/// case.
@Suite struct JSONBodyReaderFuzzTests {
  private static let seeds = [
    #"{"email":"ana@example.org"}"#,
    #"{"email":"a\u00e9\ud83d\ude00\n\"\\","x":[1,-2.5e1,{"y":null}],"z":true}"#,
    #" { "locale" : "de-AT" , "consent":"é😀", "email" : "\u0000" } "#,
    #"{"a":{"b":{"c":[[],{},""]}},"email":""}"#,
  ]

  private static let pieces: [[UInt8]] =
    [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "\\u0041", "\\n", "0",
      "1", "-", ".", "e", "E", "+", "true", "false", "null", " ", "\t", "\n", "\r", "a", "email",
      "\"email\"", "\"email\":", "é", "😀", "\u{7F}", "\u{1}", "\u{1F}", "/", "x", "u", "//",
    ].map { Array($0.utf8) } + [[0x80], [0xC3], [0xED, 0xA0, 0x80], [0xF0, 0x9F], [0xFF]]

  /// The result of decoding a body: an error, or an object with or without an email.
  private enum Outcome: Equatable {
    case rejected
    case object(email: [UInt8]?)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `the JSON body reader agrees with Foundation on mutated bodies`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<15_000 {
      let body = Self.mutate(Self.seeds.randomElement(using: &generator) ?? "", &generator)
      let (ours, isDuplicate) = Self.ours(body)
      // Foundation accepts duplicate members, which the reader rejects.
      if isDuplicate || Self.hasTrailingComma(body) { continue }
      let theirs = Self.foundations(body)
      guard ours == theirs else {
        let text = String(decoding: body, as: UTF8.self)
        Issue.record("\(body) (\(text)): expected \(theirs), got \(ours)")
        return
      }
    }
  }

  @Test func `the JSON body reader does not crash on random bytes`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<40, using: &generator)
      let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      for body in [noise, Array("{\"".utf8) + noise, Array(#"{"email":""#.utf8) + noise] {
        _ = Self.ours(body)
      }
    }
  }

  private static func mutate(_ text: String, _ generator: inout SeededGenerator) -> [UInt8] {
    var body = Array(text.utf8)
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let start = Int.random(in: 0...body.count, using: &generator)
      let count = Int.random(in: 0...2, using: &generator)
      let end = min(body.count, start + count)
      let piece = Bool.random(using: &generator) ? pieces.randomElement(using: &generator) : nil
      body.replaceSubrange(start..<end, with: piece ?? [])
    }
    return body
  }

  private static func hasTrailingComma(_ body: [UInt8]) -> Bool {
    let visible = body.filter { $0 > 0x20 }
    return zip(visible, visible.dropFirst()).contains { byte, next in
      byte == UInt8(ascii: ",") && (next == UInt8(ascii: "}") || next == UInt8(ascii: "]"))
    }
  }

  private static func ours(_ body: [UInt8]) -> (Outcome, isDuplicate: Bool) {
    do throws(BodyError) {
      let fields = try JSONBodyReader.decode(body)
      if fields.damagedField() != nil { return (.rejected, false) }
      guard case .text(let text) = fields.only("email") else { return (.object(email: nil), false) }
      return (.object(email: Array(text.utf8)), false)
    } catch {
      let duplicate = BodyError.malformed(.repeatedMember)
      return (.rejected, error == duplicate)
    }
  }

  private static func foundations(_ body: [UInt8]) -> Outcome {
    guard
      let value = try? JSONSerialization.jsonObject(with: Data(body)),
      let object = value as? [String: Any]
    else { return .rejected }
    return .object(email: (object["email"] as? String).map { Array($0.utf8) })
  }
}
