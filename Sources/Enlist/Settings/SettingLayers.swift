/// The sources of settings: flags override the environment, which overrides the settings file,
/// which overrides the defaults.
///
/// Every layer contains text, so only this type decides whether a value is missing or malformed.
/// The first layer that has the setting decides; a lower layer never hides an invalid value.
struct SettingLayers: Sendable {
  private struct Layer: Sendable {
    /// Reads a setting by its name; `nil` if the layer does not have it.
    let read: @Sendable (_ name: String) throws(SettingError) -> Entry?
  }

  /// The value of a setting in a layer.
  private struct Entry {
    /// The text to convert to the value.
    let text: String
    /// The name of the setting in its layer, such as `--threads` or `ENLIST_THREADS`.
    let source: String
    /// The text that an error shows: the value, or the path of the file that contains it.
    let shown: String
    /// The text that precedes the expected value in an error message.
    let reasonPrefix: String
    /// Whether the value is the content of a file.
    let isOfFile: Bool
    /// The path of the file that contains the value, if there is one.
    let file: String?

    init(_ text: String, at source: String, in file: String? = nil) {
      self.text = text
      self.source = source
      shown = text
      reasonPrefix = ""
      isOfFile = false
      self.file = file
    }

    /// Creates an entry from the content of a file, which may be a secret.
    init(_ text: String, of file: String, at source: String) {
      self.text = text
      self.source = source
      shown = file
      reasonPrefix = "the content of the file is invalid; "
      isOfFile = true
      self.file = file
    }
  }

  /// The entry of the first layer with a setting, keyed by the name of the setting.
  private let entries: [String: Result<Entry, SettingError>]
  /// The environment variables that resemble those of settings, but have no effect.
  let unknownVariables: [SettingError]
  /// The files that contain a secret, and that every user can read.
  let fileWarnings: [String]

  /// The problems of the sources that do not prevent the program from starting.
  var warnings: [String] { unknownVariables.map(\.description) + fileWarnings }

  /// Creates the layers, and reads the settings file and the files with values, each once.
  ///
  /// - Throws: `SettingError` if the settings file cannot be read or contains an unknown setting,
  ///   or if the environment has both a value and a file for the same setting.
  init(flags: [String: String], environment: [String: String] = [:]) throws(SettingError) {
    let names = SettingTable.rows.map(\.name) + [Self.configurationName]
    for name in names { try Self.rejectValueAndFile(for: name, in: environment) }
    unknownVariables = UnknownVariables.find(
      in: environment, known: names.flatMap { [Self.variable(of: $0), Self.fileVariable(of: $0)] })
    var layers = [
      Layer { name throws(SettingError) in
        try Self.entry(of: name, in: flags) { "--\($0)" }
      },
      Layer { name throws(SettingError) in
        if let entry = try Self.entryOfFile(for: name, in: environment) { return entry }
        let variable = Self.variable(of: name)
        return environment[variable].map { Entry($0, at: variable) }
      },
    ]
    if let path = try Self.configurationPath(flags, environment) {
      let fileValues = try SettingsFile.read(path)
      layers.append(
        Layer { name throws(SettingError) in
          try Self.entry(of: name, in: fileValues, file: path) { "\($0) in \(path)" }
        }
      )
    }
    var entries: [String: Result<Entry, SettingError>] = [:]
    for row in SettingTable.rows {
      do throws(SettingError) {
        for layer in layers where entries[row.name] == nil {
          entries[row.name] = try layer.read(row.name).map { .success($0) }
        }
      } catch {
        entries[row.name] = .failure(error)
      }
    }
    self.entries = entries
    fileWarnings = SettingTable.rows.compactMap { row in
      (try? entries[row.name]?.get()).flatMap { Self.warning(about: $0, row) }
    }
  }

  /// Reads the text of one setting from the first layer that has it; `nil` without one.
  ///
  /// - Throws: `SettingError` if the value in that layer is invalid.
  func text(of setting: any SettingRow) throws(SettingError) -> String? {
    guard let entry = try entries[setting.name]?.get() else { return nil }
    guard setting.accepts(entry.text) else { throw Self.rejection(of: entry, setting) }
    return entry.text
  }

  /// Validates one setting, and describes its value without secrets.
  ///
  /// - Throws: `SettingError` if the value in the first layer that has the setting is invalid.
  func effective(_ setting: any SettingRow) throws(SettingError) -> EffectiveSetting {
    guard let entry = try entries[setting.name]?.get() else {
      return EffectiveSetting(name: setting.name, text: setting.defaultText, origin: "default")
    }
    guard setting.accepts(entry.text) else { throw Self.rejection(of: entry, setting) }
    // A value is often in a file because it is secret.
    let isHidden = setting.isSecret || entry.isOfFile
    return EffectiveSetting(
      name: setting.name, text: isHidden ? HiddenText.mark : URLPassword.hidden(in: entry.text),
      origin: entry.isOfFile ? "\(entry.source): \(entry.shown)" : entry.source)
  }

  /// Returns a warning if a value is in a file, or is the path of a file, that should be secret.
  private static func warning(about entry: Entry, _ setting: any SettingRow) -> String? {
    let hasSecret = setting.isSecret || URLPassword.hidden(in: entry.text) != entry.text
    let file =
      setting.name == SettingTable.service.tlsKey.name ? entry.text : hasSecret ? entry.file : nil
    guard let file, SettingValueFile.isReadableByEveryUser(file) else { return nil }
    return "\(entry.source): every user can read the file \(file); run chmod o-r on it"
  }

  private static func rejection(of entry: Entry, _ setting: any SettingRow) -> SettingError {
    SettingError(
      setting: entry.source,
      value: setting.isSecret && !entry.isOfFile ? HiddenText.mark : entry.shown,
      reason: "\(entry.reasonPrefix)expected \(setting.expected)")
  }

  // MARK: Files named by environment variables

  private static let configurationName = "config"

  private static func configurationPath(
    _ flags: [String: String], _ environment: [String: String]
  ) throws(SettingError) -> String? {
    if let path = flags[configurationName] { return path }
    if let entry = try entryOfFile(for: configurationName, in: environment) { return entry.text }
    return environment[variable(of: configurationName)]
  }

  private static func entryOfFile(
    for name: String, in environment: [String: String]
  ) throws(SettingError) -> Entry? {
    let variable = fileVariable(of: name)
    guard let path = environment[variable] else { return nil }
    return Entry(try SettingValueFile.read(path, variable: variable), of: path, at: variable)
  }

  /// Rejects a setting that has both a value and a file in the environment.
  ///
  /// An empty value does not count: an image may set the variable, and its users can empty but not
  /// unset it.
  private static func rejectValueAndFile(
    for name: String, in environment: [String: String]
  ) throws(SettingError) {
    let (variable, fileVariable) = (variable(of: name), fileVariable(of: name))
    guard let path = environment[fileVariable], environment[variable]?.isEmpty == false else {
      return
    }
    throw SettingError(
      setting: fileVariable, value: path, reason: "\(variable) is also set; set only one of them")
  }

  private static func fileVariable(of name: String) -> String { variable(of: name) + "_FILE" }

  // MARK: Helpers

  /// Reads the value of a setting from flags or a settings file.
  ///
  /// If a setting with this name followed by `-file` exists, such as `secret-file`, it is the path
  /// of a file with the value. In the environment, every setting has such a variable.
  private static func entry(
    of name: String, in values: [String: String], file settingsFile: String? = nil,
    at source: (String) -> String
  ) throws(SettingError) -> Entry? {
    let value = values[name]
    let file = "\(name)-file"
    guard SettingTable.rows.contains(where: { $0.name == file }),
      let path = values[file], path != "none"
    else { return value.map { Entry($0, at: source(name), in: settingsFile) } }
    guard value == nil else {
      throw SettingError(
        setting: source(file), value: path,
        reason: "\(source(name)) is also set; set only one of them")
    }
    let content = try SettingValueFile.read(path, variable: source(file))
    return Entry(content, of: path, at: source(file))
  }

  private static func variable(of name: String) -> String {
    "ENLIST_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }
}
