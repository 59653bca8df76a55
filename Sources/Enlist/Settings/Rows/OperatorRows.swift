internal import HTTPSignals
internal import Platform
internal import OperatorService

/// The settings of the operator's listener, and of what it shows and sends.
struct OperatorRows: Sendable {
  let operatorListen = Setting<ListenAddress?>(
    name: "operator-listen",
    meaning: """
      A second address, as for `--listen`, with the [board](operating/board.md), the \
      [API](operating/api.md), [metrics](operating/metrics.md) and health checks, none of \
      which is reachable through the public one
      """,
    expected: "none; an address and a port, 127.0.0.1:8081 or [::]:8081; or unix:PATH",
    convert: { ListenAddress($0).flatMap { $0 == .systemd ? nil : $0 } }
  )
  let operatorMaxConnections = Setting(
    name: "operator-max-connections",
    defaultValue: 256,
    meaning: "Connections open at one time there, a quarter of them for one client",
    within: 1...1_000_000
  )
  let operatorURL = Setting<WebOrigin?>(
    name: "operator-url",
    meaning: """
      Where browsers reach the [board](operating/board.md) if a proxy stands in front: \
      `https://board.example.org`
      """,
    expected: SettingTable.service.publicURL.expected, convert: { WebOrigin(withEmptyPath: $0) })
  let metricsAccess = Setting<OperatorDependencies.MetricsAccess>(
    name: "metrics-access", defaultValue: .key,
    meaning: """
      `key`: metrics need a [key](operating/api.md#keys) with the scope `metrics`; or `open`
      """)
  let eventRetention = Setting<Duration?>(
    name: "event-retention",
    defaultValue: .seconds(30 * 86_400),
    unset: "forever",
    defaultText: "30d",
    meaning: """
      How long the [changes of the list](operating/events.md) are kept for programs that \
      read them: `1d` to `3650d`, or `forever`
      """,
    expected: "forever, or a duration from 1d to 3650d",
    convert: { text in
      DurationText.duration(of: text).flatMap {
        (86_400...3650 * 86_400).contains($0.components.seconds) ? $0 : nil
      }
    }
  )
  let webhookNetworks = Setting<[CIDRBlock]>(
    name: "webhook-networks", defaultValue: [], defaultText: "none",
    meaning: """
      Private networks that [webhooks](operating/webhooks.md) may reach, there also over \
      `http`: `10.0.0.0/8,fd00::/8`
      """,
    expected: "none, or networks separated by commas: 10.0.0.0/8,fd00::/8",
    convert: { SettingText.list($0) { CIDRBlock($0).map { [$0] } } })
  let webhookCA = Setting.file(
    name: "webhook-ca",
    meaning: """
      PEM file with certificate authorities that webhooks trust in addition to those of the \
      system
      """)
}
