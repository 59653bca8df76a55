extension Request {
  /// Whether the client would rather have a page than JSON: a browser that shows what it gets.
  ///
  /// Who has no preference, as curl and `fetch`, gets JSON.
  package var prefersHTML: Bool {
    let accepted = QualityList(fields.values(of: "accept"))
    guard !accepted.items.isEmpty else { return false }
    return accepted.quality(of: "text/html") > accepted.quality(of: "application/json")
  }

  /// The language that the client would rather have.
  ///
  /// - Parameter languages: What there is, as language tags; the first is for those who want none
  ///   of them.
  /// - Returns: One of them: by lookup (RFC 4647 §3.4), so `de-AT` gets `de`.
  package func preferredLanguage(of languages: [String]) -> String? {
    let wanted = QualityList(fields.values(of: "accept-language")).items
      .filter { $0.quality > 0 }
      .enumerated()
      .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
    for (_, item) in wanted {
      if item.range == "*" { break }
      var range = item.range[...]
      while true {
        let match = languages.first { language in
          let language = language.lowercased()
          // Chinese as it is written in the country that is named.
          return language == range
            || (range == "zh-cn" || range == "zh-sg" || range == "zh")
              && language == "zh-hans"
        }
        if let match { return match }
        guard let hyphen = range.lastIndex(of: "-") else { break }
        range = range[..<hyphen]
      }
    }
    return languages.first
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
