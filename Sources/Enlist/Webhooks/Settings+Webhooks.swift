internal import Delivery

extension Settings {
  /// Creates the client that sends to webhooks.
  func webhookClient() throws(SettingError) -> WebhookClient {
    WebhookClient(webhookTargets, authorities: try webhookAuthorities())
  }

  var webhookTargets: WebhookTargets { WebhookTargets(networks: self.webhookNetworks) }

  /// Reads the file of `--webhook-ca`; `nil` without one.
  func webhookAuthorities() throws(SettingError) -> [UInt8]? {
    try self.webhookCA.map { path throws(SettingError) in
      let name = SettingTable.operatorListener.webhookCA.name
      return try MailFiles.checkAuthorities(path, setting: "--\(name)")
    }
  }
}
