internal import HTTPSignals
internal import Platform
internal import OperatorService

/// The settings of the operator's listener, and of what it shows and sends.
struct OperatorRows: Sendable {
  let operatorListen = Setting<ListenAddress?>(
    name: "operator-listen",
    meaning:
      "Where the operator's listener serves metrics and health checks: address, unix:PATH, or none",
    expected: "none; an address and a port, 127.0.0.1:8081 or [::]:8081; or unix:PATH",
    convert: { ListenAddress($0).flatMap { $0 == .systemd ? nil : $0 } }
  )
  let operatorMaxConnections = Setting(
    name: "operator-max-connections",
    defaultValue: 256,
    meaning:
      "Maximum number of open connections of the operator's listener; a quarter of them per client",
    within: 1...1_000_000
  )
  let operatorURL = Setting<WebOrigin?>(
    name: "operator-url",
    meaning: "Where browsers reach the board of the operator's listener through a proxy",
    expected: SettingTable.service.publicURL.expected, convert: { WebOrigin(withEmptyPath: $0) })
  let metricsAccess = Setting<OperatorDependencies.MetricsAccess>(
    name: "metrics-access", defaultValue: .key,
    meaning: "Who may read the metrics: key (clients with a key for them) or open (all clients)")
  let eventRetention = Setting<Duration?>(
    name: "event-retention",
    defaultValue: .seconds(30 * 86_400),
    unset: "forever",
    defaultText: "30d",
    meaning: "How long the changes of the list are kept for programs that read them, or forever",
    expected: "forever, or a duration from 1d to 3650d",
    convert: { text in
      DurationText.duration(of: text).flatMap {
        (86_400...3650 * 86_400).contains($0.components.seconds) ? $0 : nil
      }
    }
  )
  let webhookNetworks = Setting<[CIDRBlock]>(
    name: "webhook-networks", defaultValue: [], defaultText: "none",
    meaning: "Private networks that webhooks may reach, there also over http",
    expected: "none, or networks separated by commas: 10.0.0.0/8,fd00::/8",
    convert: { SettingText.list($0) { CIDRBlock($0).map { [$0] } } })
  let webhookCA = Setting.file(
    name: "webhook-ca",
    meaning: "PEM file with authorities that webhooks trust in addition to the system's")
}
