#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The file of `--config`: one JSON object whose members are settings.
///
/// It is read here and not by swift-configuration's own provider of files, which cannot tell what
/// else is in the file: a misspelled name would go unnoticed.
enum SettingsFile {
  /// Reads a file.
  ///
  /// - Parameter path: The file.
  /// - Returns: The text of each setting, by its name; a number becomes its text.
  /// - Throws: `SettingError` when the file cannot be read, is not such an object, or has a member
  ///   that is no setting.
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
        throw failure("\"\(name)\" is no setting; known are \(known.joined(separator: ", "))")
      }
      guard let text = member.text else {
        throw failure("\"\(name)\" must be text or a number")
      }
      settings[name] = text
    }
    return settings
  }

  /// A member's value, as the text that a flag would have.
  private struct Member: Decodable {
    /// `nil` when it is neither text nor a number.
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
