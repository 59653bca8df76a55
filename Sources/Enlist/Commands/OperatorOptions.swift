internal import ArgumentParser

/// The settings of the operator's listener.
struct OperatorOptions: SettingOptions {
  @Option(help: SettingTable.operatorListen.help)
  var operatorListen: String?
  @Option(help: SettingTable.metricsAccess.help)
  var metricsAccess: String?

  var given: [String: String?] {
    [
      SettingTable.operatorListen.name: operatorListen,
      SettingTable.metricsAccess.name: metricsAccess,
    ]
  }
}
