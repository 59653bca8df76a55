internal import FoundationEssentials

/// The settings file of `--config`: one JSON object whose members are settings.
enum SettingsFile {
  /// Reads the text of each setting, keyed by its name; numbers are converted to text.
  ///
  /// - Throws: `SettingError` if the file cannot be read, is not such an object, or has a member
  ///   that is not a setting.
  static func read(_ path: String) throws(SettingError) -> [String: String] {
    func failure(_ reason: String) -> SettingError {
      SettingError(setting: "--config", value: path, reason: reason)
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw failure("the file cannot be read")
    }
    let members: [String: Member]
    do {
      members = try JSONDecoder().decode([String: Member].self, from: data)
    } catch {
      throw failure("the file must be a JSON object")
    }
    let known = SettingTable.rows.map(\.name)
    var settings: [String: String] = [:]
    for (name, member) in members.sorted(by: { $0.key < $1.key }) {
      guard known.contains(name) else {
        throw failure(
          "unknown setting \"\(name)\"; known settings: \(known.joined(separator: ", "))")
      }
      guard let text = member.text else {
        throw failure("\"\(name)\" must be a string or a number")
      }
      settings[name] = text
    }
    return settings
  }

  /// A member's value, converted to the text that a flag would have.
  private struct Member: Decodable {
    /// The text; `nil` if the value is neither a string nor a number.
    let text: String?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self.text = text
      } else if let number = try? container.decode(Int.self) {
        text = String(number)
      } else if let number = try? container.decode(Double.self) {
        text = String(number)
      } else {
        text = nil
      }
    }
  }
}
