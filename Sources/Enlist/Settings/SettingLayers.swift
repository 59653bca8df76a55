internal import Configuration

/// Where settings come from: flags over the environment over a file over the defaults.
///
/// Every layer holds text, so whether a value is missing or malformed is decided here alone: the
/// first layer that has the setting decides, and a layer below never hides its mistake.
struct SettingLayers: Sendable {
  private struct Layer: Sendable {
    /// What the layer says of a setting, by its name.
    let read: @Sendable (_ name: String) throws(SettingError) -> Entry?
  }

  /// What a layer says of a setting.
  private struct Entry {
    /// The text that becomes the value.
    let text: String
    /// How the setting is named where this layer has it.
    let source: String
    /// What an error shows: the text, or the path of the file that holds it.
    let shown: String
    /// What an error says before what is allowed.
    let complaint: String

    init(_ text: String, at source: String) {
      self.text = text
      self.source = source
      shown = text
      complaint = ""
    }

    /// What a file holds, which may be a secret.
    init(_ text: String, of file: String, at source: String) {
      self.text = text
      self.source = source
      shown = file
      complaint = "what the file holds cannot be used; "
    }
  }

  private let layers: [Layer]

  /// Puts the layers on top of each other, and reads the file if one is named.
  ///
  /// - Parameters:
  ///   - flags: What was given on the command line, by the name of the setting.
  ///   - configuration: The file that `--config` names; without one, what `ENLIST_CONFIG` names.
  ///   - environment: The environment of the process.
  /// - Throws: `SettingError` when the file cannot be read or holds what is no setting, or when the
  ///   environment has both a value and a file for one setting.
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
      Layer { name in Self.text(of: name, in: flagValues).map { Entry($0, at: "--\(name)") } },
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
        Layer { name in
          Self.text(of: name, in: fileValues).map { Entry($0, at: "\(name) in \(path)") }
        }
      )
    }
    self.layers = layers
  }

  /// Reads one setting.
  ///
  /// - Parameter setting: Its row.
  /// - Returns: What the first layer that has it says, or the default when none has.
  /// - Throws: `SettingError` when that layer says what is not allowed.
  func value<Value>(of setting: Setting<Value>) throws(SettingError) -> Value {
    for layer in layers {
      guard let entry = try layer.read(setting.name) else { continue }
      guard let value = setting.convert(entry.text) else {
        throw SettingError(
          setting: entry.source,
          value: entry.shown,
          reason: "\(entry.complaint)allowed is \(setting.expected)"
        )
      }
      return value
    }
    return setting.defaultValue
  }

  // MARK: Files that the environment names

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

  /// An empty variable beside the one of a file does not count: an image may have set it, and who
  /// uses the image can only empty it.
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
      reason: "\(variable) is set as well; set only one of them"
    )
  }

  private static func fileVariable(of name: String) -> String { variable(of: name) + "_FILE" }

  // MARK: Parts

  /// What a layer says, which is text in all of them: the getter throws for other types only.
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
