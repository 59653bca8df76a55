internal import Configuration

/// Where settings come from: flags over the environment over a file over the defaults.
///
/// Every layer holds text, so whether a value is missing or malformed is decided here alone: the
/// first layer that has the setting decides, and a layer below never hides its mistake.
struct SettingLayers: Sendable {
  private struct Layer: Sendable {
    let provider: any ConfigProvider
    /// How a setting is named where this layer has it.
    let place: @Sendable (_ name: String) -> String
  }

  private let layers: [Layer]

  /// Puts the layers on top of each other, and reads the file if one is named.
  ///
  /// - Parameters:
  ///   - flags: What was given on the command line, by the name of the setting.
  ///   - configuration: The file that `--config` names; without one, what `ENLIST_CONFIG` names.
  ///   - environment: The environment of the process.
  /// - Throws: `SettingError` when the file cannot be read or holds what is no setting.
  init(
    flags: [String: String],
    configuration: String?,
    environment: [String: String]
  ) throws(SettingError) {
    var layers = [
      Layer(
        provider: InMemoryProvider(name: "flags", values: Self.values(flags)),
        place: { "--\($0)" }
      ),
      Layer(
        provider: EnvironmentVariablesProvider(environmentVariables: environment),
        place: { Self.variable(of: $0) }
      ),
    ]
    if let path = configuration ?? environment[Self.variable(of: "config")] {
      let settings = try SettingsFile.read(path)
      layers.append(
        Layer(
          provider: InMemoryProvider(name: "file", values: Self.values(settings)),
          place: { "\($0) in \(path)" }
        )
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
      guard let text = text(of: setting.name, in: layer.provider) else { continue }
      guard let value = setting.convert(text) else {
        throw SettingError(
          setting: layer.place(setting.name),
          value: text,
          reason: "allowed is \(setting.allowed)"
        )
      }
      return value
    }
    return setting.fallback
  }

  /// What a layer says, which is text in all of them: the getter throws for other types only.
  private func text(of name: String, in provider: any ConfigProvider) -> String? {
    let key = AbsoluteConfigKey(Self.key(name))
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
