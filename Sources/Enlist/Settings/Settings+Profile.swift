internal import FoundationEssentials
internal import HTTPSignals
internal import MailingList
internal import Services

extension Settings {
  /// Reads the files with the look and the words of the list.
  ///
  /// - Throws: `SettingError` for the first file that cannot be used.
  func listProfile() throws(SettingError) -> ListProfile {
    var profile = ListProfile(name: self.listName ?? self.publicURL?.host ?? "")
    profile.description = self.listDescription
    profile.siteURL = self.siteURL
    profile.privacyURL = self.privacyURL
    profile.imprintURL = self.imprintURL
    profile.accent = self.accentColor
    profile.consentText = self.consentText
    profile.fields = self.fields
    if let logo = self.logo { profile.logo = try Self.logo(logo) }
    if let stylesheet = self.stylesheet {
      let row = SettingTable.all.stylesheet
      let bytes = try row.bytes(of: stylesheet)
      guard let css = String(validating: bytes, as: UTF8.self) else {
        throw row.error(stylesheet, "the file is not UTF-8")
      }
      profile.stylesheet = css
    }
    if let path = self.texts { profile.texts = try Self.texts(in: path, labeling: self.fields) }
    return profile
  }

  /// The problems of a profile that do not prevent the service from starting.
  func warnings(about profile: ListProfile) -> [String] {
    var warnings: [String] = []
    if let accent = profile.accent, accent.onLight != accent {
      warnings.append(
        """
        --accent-color \(accent.text) would be hard to read on a light page; \
        \(accent.onLight.text) is used there
        """)
    }
    for (language, texts) in profile.texts.sorted(by: { $0.key < $1.key })
    where !LanguageTexts.builtIn.contains(where: { $0.language == language }) {
      let missing = LanguageTexts.translatedKeys.subtracting(texts.keys)
      guard !missing.isEmpty else { continue }
      warnings.append(
        """
        --texts: \(language).json lacks texts, which remain in English: \
        \(missing.sorted().joined(separator: ", "))
        """)
    }
    return warnings
  }

  private static func logo(_ path: String) throws(SettingError) -> ListProfile.Logo {
    let row = SettingTable.all.logo
    let bytes = try row.bytes(of: path)
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      return ListProfile.Logo(bytes, .png)
    }
    guard String(validating: bytes, as: UTF8.self)?.contains("<svg") == true else {
      throw row.error(path, "the file is neither PNG nor SVG")
    }
    return ListProfile.Logo(bytes, .svg)
  }

  private static func texts(
    in path: String, labeling fields: [FormField]
  ) throws(SettingError) -> [String: [String: String]] {
    let row = SettingTable.all.texts
    try row.check(directory: path)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw row.error(path, "the directory cannot be read")
    }
    let known = Set(LanguageTexts.english.own.keys).union(fields.map(\.labelKey))
    var texts: [String: [String: String]] = [:]
    for name in names.sorted() where name.hasSuffix(".json") {
      let file = "\(path)/\(name)"
      let language = name.dropLast(5)
      guard language.wholeMatch(of: /[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}/) != nil else {
        throw row.error(file, "expected a name such as de.json or pt-BR.json")
      }
      let data = Data(try row.bytes(of: file))
      guard let own = try? JSONDecoder().decode([String: String].self, from: data) else {
        throw row.error(file, "expected a JSON object whose values are strings")
      }
      if let key = own.keys.filter({ !known.contains($0) }).min() {
        let nearest = NearestName.of(key, in: known.sorted()).map { "; did you mean \($0)?" }
        throw row.error(file, "no text has the name \(key)\(nearest ?? "")")
      }
      texts[String(language)] = own
    }
    return texts
  }
}
