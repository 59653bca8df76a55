internal import ArgumentParser
internal import FoundationEssentials

extension ParsableCommand {
  /// Reads the settings of the command from its flags, the environment and the settings file, and
  /// prints warnings.
  ///
  /// Ignores SIGPIPE, so that a write to a closed pipe is an error.
  ///
  /// - Throws: `ExitCode` 64 for an invalid setting, after one line on standard error.
  func readSettings() throws(ExitCode) -> Settings {
    ProcessSignals.ignoreWriteSignals()
    let layers = try readLayers()
    for warning in layers.warnings { CommandFailure.warn(warning) }
    do throws(SettingError) {
      return try Settings(layers)
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
  }

  /// Reads the sources of the command's settings.
  ///
  /// - Throws: `ExitCode` 64 for an invalid source, after one line on standard error.
  func readLayers() throws(ExitCode) -> SettingLayers {
    var flags: [String: String] = [:]
    SettingFlags.add(of: self, to: &flags)
    do throws(SettingError) {
      return try SettingLayers(flags: flags, environment: ProcessInfo.processInfo.environment)
    } catch {
      throw CommandFailure.exit(saying: error, code: 64)
    }
  }
}

extension Option where Value == String? {
  /// Creates the flag of a setting.
  init(_ row: some SettingRow) {
    let help = ArgumentHelp(
      "\(Self.plain(row.meaning)) (default: \(row.defaultText))",
      valueName: row.name.split(separator: "-").last.map(String.init))
    self.init(name: .customLong(row.name), help: help)
  }

  /// Removes what a terminal shows no better than plain text: the marks of code, and the targets of
  /// links.
  private static func plain(_ markdown: String) -> String {
    // The parser makes each option many times, and bytes are faster than characters.
    var text = String(decoding: markdown.utf8.filter { $0 != UInt8(ascii: "`") }, as: UTF8.self)
    while let middle = text.firstRange(of: "]("),
      let start = text[..<middle.lowerBound].lastIndex(of: "["),
      let end = text[middle.upperBound...].firstIndex(of: ")")
    {
      text.removeSubrange(middle.lowerBound...end)
      text.remove(at: start)
    }
    return text
  }
}

/// The flags of a command that are settings.
enum SettingFlags {
  /// Adds the values of the flags in the option groups of a command or group, keyed by the name of
  /// the setting.
  static func add(of arguments: any ParsableArguments, to flags: inout [String: String]) {
    for child in Mirror(reflecting: arguments).children {
      if let group = child.value as? any FlagGroup {
        add(of: group.arguments, to: &flags)
      } else if arguments is any SettingOptions, let label = child.label,
        let value = (child.value as? Option<String?>)?.wrappedValue
      {
        flags[name(ofProperty: label)] = value
      }
    }
  }

  /// Returns the name of the setting whose flag is the wrapped property with a label, such as
  /// `_smtpURL`.
  static func name(ofProperty label: String) -> String {
    let letters = label.dropFirst().lowercased()
    let names = SettingTable.rows.map(\.name)
    return names.first { $0.replacing("-", with: "") == letters } ?? letters
  }
}

/// An option group, whatever its arguments are.
private protocol FlagGroup {
  var arguments: any ParsableArguments { get }
}

extension OptionGroup: FlagGroup {
  fileprivate var arguments: any ParsableArguments { wrappedValue }
}
