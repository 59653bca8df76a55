internal import ArgumentParser

struct OperatorOptions: SettingOptions {
  @Option(help: SettingTable.operatorListen.help)
  var operatorListen: String?
  @Option(help: SettingTable.operatorMaxConnections.help)
  var operatorMaxConnections: String?
  @Option(name: .customLong("operator-url"), help: SettingTable.operatorURL.help)
  var operatorURL: String?
  @Option(help: SettingTable.metricsAccess.help)
  var metricsAccess: String?
  @Option(help: SettingTable.eventRetention.help)
  var eventRetention: String?

  var given: [String: String?] {
    [
      SettingTable.operatorListen.name: operatorListen,
      SettingTable.operatorMaxConnections.name: operatorMaxConnections,
      SettingTable.operatorURL.name: operatorURL,
      SettingTable.metricsAccess.name: metricsAccess,
      SettingTable.eventRetention.name: eventRetention,
    ]
  }
}

struct WebhookOptions: SettingOptions {
  @Option(help: SettingTable.webhookNetworks.help)
  var webhookNetworks: String?
  @Option(name: .customLong("webhook-ca"), help: SettingTable.webhookCA.help)
  var webhookCA: String?

  var given: [String: String?] {
    [
      SettingTable.webhookNetworks.name: webhookNetworks, SettingTable.webhookCA.name: webhookCA,
    ]
  }
}
