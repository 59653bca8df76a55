internal import FoundationEssentials
internal import Platform

/// The text of each setting from the first source that has it: a flag, a variable of the
/// environment, or a key of the file of `--config`.
///
/// A source never hides an invalid value of a higher one. `ENLIST_NAME_FILE` names a file with the
/// value of `NAME`, and so does `secret-file` in each source.
struct SettingSources {
  struct Entry {
    let text: String
    /// `--threads`, `ENLIST_THREADS`, `threads in FILE`, or `ENLIST_THREADS_FILE`.
    let source: String
    /// The settings file that has the text.
    var settingsFile: String?
    /// The file whose content is the text, which is therefore often secret.
    var valueFile: String?
  }

  private static let prefix = "ENLIST_"
  private static let names = SettingTable.rows.map(\.name)

  /// The settings of the command; what the sources say about others is not read.
  let rows: [any SettingRow]
  private var entries: [String: Entry] = [:]
  private(set) var errors: [SettingError] = []
  /// Variables that resemble settings, and have no effect.
  private(set) var unknownVariables: [SettingError] = []

  init(
    _ flags: [String: String], of rows: [any SettingRow] = SettingTable.rows,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.rows = rows
    var variables: [String: String] = [:]
    for (variable, text) in environment where variable.hasPrefix(Self.prefix) {
      let name = variable.dropFirst(Self.prefix.count).lowercased().replacing("_", with: "-")
      if Self.variable(name) == variable { variables[name] = text }
    }
    // An image may set a variable, which its users can empty, but not unset.
    for (name, text) in variables where text == "" && variables["\(name)-file"] != nil {
      variables[name] = nil
    }
    add(flags) { "--\($0)" }
    add(variables) { Self.variable($0) }
    // The file of settings is not a setting, but its path comes from the same sources.
    if let config = entries["config"] { add(settingsFile: config) }
    findUnknown(environment)
  }

  /// Adds what higher sources do not have.
  private mutating func add(
    _ texts: [String: String], in settingsFile: String? = nil, source: (String) -> String
  ) {
    for name in rows.map(\.name) + ["config"] {
      // `secret-file` is a setting, too, with a text for none.
      let isUnset = Self.names.contains("\(name)-file") && texts["\(name)-file"] == "none"
      let file = isUnset ? nil : texts["\(name)-file"]
      switch (texts[name], file) {
      case (_?, let path?):
        fail(source("\(name)-file"), path, "\(source(name)) is also set; set only one of them")
      case _ where entries[name] != nil, (nil, nil): continue
      case (let text?, nil):
        entries[name] = Entry(text: text, source: source(name), settingsFile: settingsFile)
      case (nil, let path?):
        let source = source("\(name)-file")
        do throws(FileError) {
          let text = try ValueFile.text(path)
          entries[name] = Entry(text: text, source: source, valueFile: path)
        } catch {
          fail(source, path, error.reason)
        }
      }
    }
  }

  private mutating func add(settingsFile config: Entry) {
    let path = config.text
    do throws(FileError) {
      let content = Data(try ValueFile.text(path, maximumBytes: 1 << 20).utf8)
      guard let members = try? JSONDecoder().decode([String: SettingMember].self, from: content)
      else { throw FileError("the file must be a JSON object") }
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        guard Self.names.contains(name) else {
          let known = Self.names.joined(separator: ", ")
          throw FileError("unknown setting \"\(name)\"; known settings: \(known)")
        }
        guard member.text != nil else {
          throw FileError("\"\(name)\" must be a string or a number")
        }
      }
      add(members.compactMapValues(\.text), in: path) { "\($0) in \(path)" }
    } catch {
      fail(config.source, path, error.reason)
    }
  }

  private mutating func fail(_ setting: String, _ value: String, _ reason: String) {
    errors.append(SettingError(setting: setting, value: value, reason: reason))
  }

  private mutating func findUnknown(_ environment: [String: String]) {
    let given = environment.filter { $0.key.hasPrefix(Self.prefix) }
    guard !given.isEmpty else { return }
    let known = (Self.names + ["config"]).flatMap {
      [Self.variable($0), Self.variable("\($0)-file")]
    }
    for (variable, text) in given.sorted(by: { $0.key < $1.key })
    where !known.contains(variable) && !Self.isOfKubernetes(variable, text) {
      let remedy = NearestName.of(variable, in: known, ignoring: Self.prefix.count)
        .map { "did you mean \($0)?" }
      unknownVariables.append(
        SettingError(
          setting: variable,
          reason: "no setting has this name; \(remedy ?? "see enlist serve --help-all")"))
    }
  }

  /// Kubernetes sets such variables in each pod for each service; the name of one may begin like
  /// ours.
  private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
    name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.contains("_PORT_")
      || (name.hasSuffix("_PORT") && value.contains("://"))
  }

  static func variable(_ name: String) -> String {
    let hyphen = UInt8(ascii: "-")
    return prefix
      + String(
        decoding: name.uppercased().utf8.map { $0 == hyphen ? UInt8(ascii: "_") : $0 },
        as: UTF8.self)
  }

  /// Returns the value of a setting that is set, and adds an error if it is invalid.
  ///
  /// This is the only conversion of the text.
  mutating func value(of row: some SettingRow) -> (any Sendable)? {
    guard let entry = entries[row.name] else { return nil }
    if let value = row.value(of: entry.text) { return value }
    let prefix = entry.valueFile == nil ? "" : "the content of the file is invalid; "
    let shown = entry.valueFile ?? (row.isSecret ? HiddenText.mark : entry.text)
    fail(entry.source, shown, prefix + row.fault(of: entry.text))
    return nil
  }

  /// What shows a setting: its name, its text without secrets, its source.
  func line(_ row: some SettingRow) -> (name: String, text: String, source: String?) {
    guard let entry = entries[row.name] else { return (row.name, row.standard, nil) }
    let isHidden = row.isSecret || entry.valueFile != nil
    let text = isHidden ? HiddenText.mark : URLPassword.hidden(in: entry.text)
    return (row.name, text, entry.source + (entry.valueFile.map { ": \($0)" } ?? ""))
  }

  /// Warnings about files that contain a secret, and that every user can read.
  var fileWarnings: [String] {
    rows.compactMap { row in
      guard let entry = entries[row.name] else { return nil }
      let hasSecret = row.isSecret || URLPassword.hidden(in: entry.text) != entry.text
      let secretFile = hasSecret ? entry.valueFile ?? entry.settingsFile : nil
      let file = row.name == "tls-key" ? entry.text : secretFile
      guard let file, ValueFile.isReadableByEveryUser(file) else { return nil }
      return "\(entry.source): every user can read the file \(file); run chmod o-r on it"
    }
  }
}

/// The value of a member of the settings file, as the text that a flag would have.
private struct SettingMember: Decodable {
  /// `nil` if the value is neither a string nor a number.
  let text: String?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    text =
      (try? value.decode(String.self)) ?? (try? value.decode(Int.self)).map(String.init)
      ?? (try? value.decode(Double.self)).map { String($0) }
  }
}

/// The most likely intended name for a misspelled one.
enum NearestName {
  /// Returns that with the smallest edit distance, of at most one byte or a quarter of the text.
  static func of(_ text: String, in names: [String], ignoring prefix: Int = 0) -> String? {
    let typed = Array(text.utf8.dropFirst(prefix))
    let nearest = names.map { name in
      let edits = typed.withUnsafeBufferPointer { typed in
        Array(name.utf8.dropFirst(prefix)).withUnsafeBufferPointer {
          EditDistance.between(typed, $0)
        }
      }
      return (name: name, edits: edits)
    }.min { $0.edits < $1.edits }
    guard let nearest, nearest.edits <= max(1, typed.count / 4) else { return nil }
    return nearest.name
  }
}
