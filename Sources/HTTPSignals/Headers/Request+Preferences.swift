extension Request {
  /// Whether the client would rather have a page than JSON: a browser that shows what it gets.
  ///
  /// Who has no preference, as curl and `fetch`, gets JSON.
  package var prefersHTML: Bool {
    guard fields.count(of: "accept") > 0 else { return false }
    let accepted = QualityList(fields.values(of: "accept"))
    guard !accepted.items.isEmpty else { return false }
    return accepted.quality(of: "text/html") > accepted.quality(of: "application/json")
  }

  /// The language that the client would rather have.
  ///
  /// - Parameter languages: What there is, as language tags; the first is for those who want none
  ///   of them.
  /// - Returns: One of them: by lookup (RFC 4647 §3.4), so `de-AT` gets `de`. A range of more than
  ///   eight subtags is ignored.
  package func preferredLanguage(of languages: [String]) -> String? {
    let wanted = QualityList(fields.values(of: "accept-language")).items
      .filter { $0.quality > 0 }
      .enumerated()
      .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
    for (_, item) in wanted {
      if item.range == "*" { break }
      if let language = Self.lookUp(item.range, in: languages) { return language }
    }
    return languages.first
  }

  private static let maximumSubtagCount = 8

  /// The language that is the longest beginning of a range: what is left of it when subtags are
  /// removed from its end until there is a language.
  private static func lookUp(_ range: String, in languages: [String]) -> String? {
    var range = range
    return range.withUTF8 { range in
      guard range.count(where: { $0 == UInt8(ascii: "-") }) < maximumSubtagCount else { return nil }
      var best: (language: String, length: Int)?
      for language in languages {
        // Chinese as it is written in the country that is named, whichever that is.
        let length =
          prefixLength(language, of: range)
          ?? (language == "zh-Hans" ? prefixLength("zh", of: range) : nil)
        if let length, length > best?.length ?? 0 { best = (language, length) }
      }
      return best?.language
    }
  }

  /// How long a language is, if a range begins with its subtags.
  private static func prefixLength(
    _ language: String,
    of range: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    let length = language.utf8.count
    guard range.count >= length, range.count == length || range[length] == UInt8(ascii: "-"),
      zip(language.utf8, range).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
    else { return nil }
    return length
  }
}

extension QualityList {
  /// How much a media type is wanted; the range that says most counts (RFC 9110 §12.5.1).
  fileprivate func quality(of mediaType: String) -> Int {
    let family = mediaType.prefix { $0 != "/" } + "/*"
    for range in [mediaType, String(family), "*/*"] {
      if let item = items.first(where: { $0.range == range }) { return item.quality }
    }
    return 0
  }
}
