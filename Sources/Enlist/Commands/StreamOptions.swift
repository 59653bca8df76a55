internal import ArgumentParser

struct StreamOptions: SettingOptions {
  @Option(help: SettingTable.maxStreams.help)
  var maxStreams: String?
  @Option(help: SettingTable.maxStreamsPerClient.help)
  var maxStreamsPerClient: String?
  @Option(help: SettingTable.heartbeat.help)
  var heartbeat: String?
  @Option(help: SettingTable.streamLifetime.help)
  var streamLifetime: String?
  @Option(help: SettingTable.streamStall.help)
  var streamStall: String?
  @Option(help: SettingTable.streamHistory.help)
  var streamHistory: String?
  @Option(help: SettingTable.executionHistory.help)
  var executionHistory: String?

  var given: [String: String?] {
    [
      SettingTable.maxStreams.name: maxStreams,
      SettingTable.maxStreamsPerClient.name: maxStreamsPerClient,
      SettingTable.heartbeat.name: heartbeat,
      SettingTable.streamLifetime.name: streamLifetime,
      SettingTable.streamStall.name: streamStall,
      SettingTable.streamHistory.name: streamHistory,
      SettingTable.executionHistory.name: executionHistory,
    ]
  }
}
