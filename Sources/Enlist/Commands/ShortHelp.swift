internal import ArgumentParser

/// The help of a command without its rare settings, which fits on a screen.
enum ShortHelp {
  /// The settings that every help lists; `--help-all` lists the others, too.
  private static let usual = [SettingTable.service.database.name]

  /// Returns the help for a command line; `nil` if it does not ask for help.
  static func text(for arguments: [String]) -> String? {
    let words = arguments.prefix { $0 != "--" }
    guard words.contains("--help") || words.contains("-h") else { return nil }
    var command: any ParsableCommand.Type = EnlistCommand.self
    for word in words {
      let commands = command.configuration.subcommands
      if let found = commands.first(where: { $0._commandName == word }) {
        command = found
      } else if commands.isEmpty || word != words.first {
        break
      } else if word != "--help", word != "-h" {
        // The first word is a flag of the default command.
        command = Serve.self
      }
    }
    return text(for: command)
  }

  /// Returns the help of a command.
  ///
  /// - Parameter columns: The width; `nil` for that of the terminal.
  static func text(for command: any ParsableCommand.Type, columns: Int? = nil) -> String {
    var help = EnlistCommand.helpMessage(for: command, columns: columns)
    let rows = SettingTable.rows.map(\.name).filter { !usual.contains($0) } + ["config"]
    for name in rows {
      guard let usage = try? Regex(" \\[--\(name) <[a-z-]+>\\]") else { continue }
      help = help.replacing(usage, with: "")
    }
    // Only --version and --help, which people try anyway, and a line that the commands need.
    if command == EnlistCommand.self {
      help = help.replacing(/OPTIONS:(?s:.*)(?=SUBCOMMANDS:)/, with: "")
        .replacing(/\n\n  See .*/, with: "")
        .replacing(/\n\n(?=USAGE)/, with: "\n")
        .replacing("<subcommand>\n", with: "<subcommand>; see enlist help <subcommand>\n")
        .replacing("\n\nSUBCOMMANDS", with: "\nSUBCOMMANDS")
    }
    var lines: [Substring] = []
    var isSkipping = false
    for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
      if let flag = line.prefixMatch(of: #/  --([a-z-]+)/#) {
        isSkipping = rows.contains(String(flag.1))
      } else if !line.hasPrefix("    ") {
        isSkipping = false
      }
      if !isSkipping { lines.append(line) }
    }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}
