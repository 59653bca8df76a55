/// Looking up a language for what a person prefers (RFC 4647 §3.4).
package enum LanguageRange {
  private static let maximumSubtagCount = 8

  /// The regions that write a language in another script than most do (CLDR, likely subtags).
  private static let scripts: [Substring: [Substring: Substring]] = [
    "az": ["iq": "arab", "ir": "arab", "ru": "cyrl"], "pa": ["pk": "arab"],
    "sr": ["me": "latn", "ro": "latn", "tr": "latn"], "uz": ["af": "arab", "cn": "cyrl"],
    "zh": ["hk": "hant", "mo": "hant", "tw": "hant"],
  ]

  /// Returns the language that is the longest prefix of a range, in whole subtags: `de-AT` gets
  /// `de`; `nil` without one, and for ranges of more than eight subtags.
  ///
  /// Where a language has several scripts, the language of the likely script comes first, then that
  /// of a region with this script: `zh-HK` gets `zh-Hant` or `zh-TW` rather than `zh-Hans`.
  package static func lookUp(_ range: String, in languages: [String]) -> String? {
    if let script = script(of: range),
      !languages.contains(where: { $0.lowercased() == range.lowercased() }),
      let language = languages.first(where: { $0.lowercased() == script })
        ?? languages.first(where: { self.script(of: $0) == script })
    {
      return language
    }
    var range = range
    return range.withUTF8 { range in
      guard range.count(where: { $0 == UInt8(ascii: "-") }) < maximumSubtagCount else { return nil }
      var best: (language: String, length: Int)?
      for language in languages {
        // Every range of Chinese matches the only available Chinese.
        let length =
          prefixLength(language, of: range)
          ?? (language == "zh-Hans" ? prefixLength("zh", of: range) : nil)
        if let length, length > best?.length ?? 0 { best = (language, length) }
      }
      return best?.language
    }
  }

  /// Returns a language with its script, such as `zh-hant`; `nil` if it has one script only, or the
  /// tag does not tell which.
  private static func script(of tag: String) -> String? {
    guard tag.utf8.dropFirst(2).first == UInt8(ascii: "-"), tag.utf8.count <= 35 else { return nil }
    let subtags = tag.lowercased().split(separator: "-")
    guard let language = subtags.first, let regions = scripts[language] else { return nil }
    let script = subtags.dropFirst().first { $0.utf8.count == 4 }
    return (script ?? subtags.lazy.compactMap { regions[$0] }.first).map { "\(language)-\($0)" }
  }

  /// Returns the length of a language tag in bytes if a range starts with its subtags.
  private static func prefixLength(_ language: String, of range: UnsafeBufferPointer<UInt8>) -> Int?
  {
    let length = language.utf8.count
    guard range.count >= length, range.count == length || range[length] == UInt8(ascii: "-"),
      zip(language.utf8, range).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
    else { return nil }
    return length
  }
}
