internal import Configuration

/// The sources of settings: flags override the environment, which overrides the settings file,
/// which overrides the defaults.
///
/// Every layer holds text, so only this type decides whether a value is missing or malformed. The
/// first layer that has the setting decides; a lower layer never hides an invalid value.
struct SettingLayers: Sendable {
  private struct Layer: Sendable {
    /// Reads a setting by its name; returns `nil` if the layer does not have it.
    let read: @Sendable (_ name: String) throws(SettingError) -> Entry?
  }

  /// The value that a layer has for a setting.
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

    init(_ text: String, at source: String) {
      self.text = text
      self.source = source
      shown = text
      reasonPrefix = ""
      isOfFile = false
    }

    /// Makes an entry from the content of a file, which may be a secret.
    init(_ text: String, of file: String, at source: String) {
      self.text = text
      self.source = source
      shown = file
      reasonPrefix = "the content of the file is invalid; "
      isOfFile = true
    }
  }

  private let layers: [Layer]

  /// Stacks the layers, and reads the settings file if there is one.
  ///
  /// - Parameters:
  ///   - flags: The flags on the command line, keyed by the name of the setting.
  ///   - configuration: The path given by `--config`; `nil` falls back to `ENLIST_CONFIG`.
  ///   - environment: The environment of the process.
  /// - Throws: `SettingError` if the settings file cannot be read or contains an unknown setting,
  ///   or if the environment has both a value and a file for the same setting.
  init(
    flags: [String: String],
    configuration: String?,
    environment: [String: String]
  ) throws(SettingError) {
    for name in SettingTable.rows.map(\.name) + [Self.configurationName] {
      try Self.rejectValueAndFile(for: name, in: environment)
    }
    let flagValues = InMemoryProvider(name: "flags", values: Self.values(flags))
    let variables = EnvironmentVariablesProvider(environmentVariables: environment)
    var layers = [
      Layer { name throws(SettingError) in
        try Self.entry(of: name, in: flagValues) { "--\($0)" }
      },
      Layer { name throws(SettingError) in
        if let entry = try Self.entryOfFile(for: name, in: environment) { return entry }
        return Self.text(of: name, in: variables).map { Entry($0, at: Self.variable(of: name)) }
      },
    ]
    if let path = try Self.configurationPath(configuration, in: environment) {
      let fileValues = InMemoryProvider(
        name: "file",
        values: Self.values(try SettingsFile.read(path))
      )
      layers.append(
        Layer { name throws(SettingError) in
          try Self.entry(of: name, in: fileValues) { "\($0) in \(path)" }
        }
      )
    }
    self.layers = layers
  }

  /// Reads one setting.
  ///
  /// - Parameter setting: The row of the setting.
  /// - Returns: The value from the first layer that has the setting, or the default.
  /// - Throws: `SettingError` if the value in that layer is invalid.
  func value<Value>(of setting: Setting<Value>) throws(SettingError) -> Value {
    guard let entry = try entry(of: setting.name) else { return setting.defaultValue }
    guard let value = setting.convert(entry.text) else { throw Self.rejection(of: entry, setting) }
    return value
  }

  /// Validates one setting, and describes its value without anything secret.
  ///
  /// - Parameter setting: The row of the setting.
  /// - Returns: The text and the origin of the value.
  /// - Throws: `SettingError` if the value in the first layer that has the setting is invalid.
  func effective(_ setting: any SettingRow) throws(SettingError) -> EffectiveSetting {
    guard let entry = try entry(of: setting.name) else {
      return EffectiveSetting(name: setting.name, text: setting.defaultText, origin: "default")
    }
    guard setting.accepts(entry.text) else { throw Self.rejection(of: entry, setting) }
    // A value is often in a file because it is secret.
    let isHidden = setting.isSecret || entry.isOfFile
    return EffectiveSetting(
      name: setting.name,
      text: isHidden ? HiddenText.mark : URLPassword.hidden(in: entry.text),
      origin: entry.isOfFile ? "\(entry.source): \(entry.shown)" : entry.source
    )
  }

  /// Returns the value that the first layer with the setting has.
  private func entry(of name: String) throws(SettingError) -> Entry? {
    for layer in layers {
      if let entry = try layer.read(name) { return entry }
    }
    return nil
  }

  private static func rejection(of entry: Entry, _ setting: any SettingRow) -> SettingError {
    SettingError(
      setting: entry.source,
      value: setting.isSecret && !entry.isOfFile ? HiddenText.mark : entry.shown,
      reason: "\(entry.reasonPrefix)expected \(setting.expected)"
    )
  }

  // MARK: Files named by environment variables

  private static let configurationName = "config"

  private static func configurationPath(
    _ flag: String?,
    in environment: [String: String]
  ) throws(SettingError) -> String? {
    if let flag { return flag }
    if let entry = try entryOfFile(for: configurationName, in: environment) { return entry.text }
    return environment[variable(of: configurationName)]
  }

  private static func entryOfFile(
    for name: String,
    in environment: [String: String]
  ) throws(SettingError) -> Entry? {
    let variable = fileVariable(of: name)
    guard let path = environment[variable] else { return nil }
    return Entry(
      try SettingValueFile.read(path, variable: variable),
      of: path,
      at: variable
    )
  }

  /// Rejects a setting that has both a value and a file in the environment.
  ///
  /// An empty value does not count: an image may set the variable, and users of the image can
  /// empty it but cannot unset it.
  private static func rejectValueAndFile(
    for name: String,
    in environment: [String: String]
  ) throws(SettingError) {
    let (variable, fileVariable) = (variable(of: name), fileVariable(of: name))
    guard let path = environment[fileVariable], environment[variable]?.isEmpty == false else {
      return
    }
    throw SettingError(
      setting: fileVariable,
      value: path,
      reason: "\(variable) is also set; set only one of them"
    )
  }

  private static func fileVariable(of name: String) -> String { variable(of: name) + "_FILE" }

  // MARK: Helpers

  /// Reads the value that flags or a settings file have for a setting.
  ///
  /// If a setting of that name followed by `-file` exists, such as `secret-file`, it names a file
  /// with the value. In the environment, every setting has such a variable.
  private static func entry(
    of name: String,
    in provider: any ConfigProvider,
    at source: (String) -> String
  ) throws(SettingError) -> Entry? {
    let value = text(of: name, in: provider)
    let file = "\(name)-file"
    guard SettingTable.rows.contains(where: { $0.name == file }),
      let path = text(of: file, in: provider), path != "none"
    else { return value.map { Entry($0, at: source(name)) } }
    guard value == nil else {
      throw SettingError(
        setting: source(file),
        value: path,
        reason: "\(source(name)) is also set; set only one of them"
      )
    }
    let content = try SettingValueFile.read(path, variable: source(file))
    return Entry(content, of: path, at: source(file))
  }

  /// Reads the text of a setting from a provider.
  ///
  /// The getter throws only for values of other types, and every layer holds text.
  private static func text(of name: String, in provider: any ConfigProvider) -> String? {
    let key = AbsoluteConfigKey(key(name))
    guard case .string(let text) = try? provider.value(forKey: key, type: .string).value?.content
    else { return nil }
    return text
  }

  private static func key(_ name: String) -> [String] { ["enlist", name] }

  private static func variable(of name: String) -> String {
    "ENLIST_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  private static func values(_ texts: [String: String]) -> [AbsoluteConfigKey: ConfigValue] {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    for (name, text) in texts {
      values[AbsoluteConfigKey(key(name))] = ConfigValue(.string(text), isSecret: false)
    }
    return values
  }
}
