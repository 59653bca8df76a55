/// All settings: the single definition of their names, defaults and valid values.
enum SettingTable {
  static let service = ServiceRows()
  static let operatorListener = OperatorRows()
  static let list = ListRows()
  static let mail = MailRows()

  /// All rows, in the order in which they are declared.
  static let rows: [any SettingRow] = [service, operatorListener, list, mail].flatMap { group in
    Mirror(reflecting: group).children.compactMap { $0.value as? any SettingRow }
  }
}
