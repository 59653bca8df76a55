internal import HTTPSignals
internal import Networking
internal import OperatorService

/// The settings of the operator's listener.
extension SettingTable {
  static let operatorListen = Setting<ListenAddress?>(
    name: "operator-listen",
    defaultValue: nil,
    defaultText: "none",
    meaning:
      "Where the operator's listener serves metrics and health checks: address, unix:PATH, or none",
    expected: "none; an address and a port, 127.0.0.1:8081 or [::]:8081; or unix:PATH",
    convert: { text in
      if text == "none" { return .some(nil) }
      switch ListenAddress(text) {
      case .network(let address): return .some(.network(address))
      case .unix(let path): return .some(.unix(path: path))
      case .systemd, nil: return nil
      }
    }
  )
  static let operatorMaxConnections = Setting(
    name: "operator-max-connections",
    defaultValue: 256,
    meaning:
      "Maximum number of open connections of the operator's listener; a quarter of them per client",
    within: 1...1_000_000
  )
  static let operatorURL = Setting<WebOrigin?>(
    name: "operator-url",
    defaultValue: nil,
    defaultText: "none",
    meaning: "Where browsers reach the board of the operator's listener through a proxy",
    expected: publicURL.expected,
    convert: publicURL.convert
  )
  static let metricsAccess = Setting<OperatorDependencies.MetricsAccess>(
    name: "metrics-access",
    defaultValue: .key,
    meaning: "Who may read the metrics: key (clients with a key for them) or open (all clients)"
  )

  static let eventRetention = Setting<Duration?>(
    name: "event-retention",
    defaultValue: .seconds(30 * 86_400),
    defaultText: "30d",
    meaning: "How long the changes of the list are kept for programs that read them, or forever",
    expected: "forever, or a duration from 1d to 3650d",
    convert: { text in
      if text == "forever" { return .some(nil) }
      let duration = DurationText.duration(of: text)
      return duration.flatMap {
        (86_400...3650 * 86_400).contains($0.components.seconds) ? $0 : nil
      }
    }
  )

  static let webhookNetworks = Setting<[CIDRBlock]>(
    name: "webhook-networks",
    defaultValue: [],
    defaultText: "none",
    meaning: "Private networks that webhooks may reach, there also over http",
    expected: "none, or networks separated by commas: 10.0.0.0/8,fd00::/8",
    convert: { text in
      guard text != "none" else { return [] }
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let networks = parts.compactMap { CIDRBlock($0.drop { $0 == " " }) }
      return networks.count == parts.count ? networks : nil
    }
  )
  static let webhookCA = file(
    name: "webhook-ca",
    meaning: "PEM file with authorities that webhooks trust in addition to the system's"
  )

  /// The rows of the operator's listener, in the order of `--help`.
  static let operatorRows: [any SettingRow] = [
    operatorListen, operatorMaxConnections, operatorURL, metricsAccess, eventRetention,
    webhookNetworks, webhookCA,
  ]
}
