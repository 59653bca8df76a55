internal import HTTPSignals
internal import Platform
internal import SubscribeService

/// The settings of the program, all of them valid.
///
/// Each row of ``SettingTable`` is a property, with the name of the row and the type of its value.
@dynamicMemberLookup
struct Settings: Sendable {
  private var values: [String: any Sendable] = [:]

  init(_ layers: SettingLayers) throws(SettingError) {
    for row in SettingTable.rows { values[row.name] = row.value(of: try layers.text(of: row)) }
    try requireShortPolicy()
    try requireDifferentListeners()
  }

  subscript<Value>(dynamicMember row: KeyPath<ServiceRows, Setting<Value>>) -> Value {
    get { value(of: SettingTable.service[keyPath: row]) }
    set { values[SettingTable.service[keyPath: row].name] = newValue }
  }

  subscript<Value>(dynamicMember row: KeyPath<OperatorRows, Setting<Value>>) -> Value {
    get { value(of: SettingTable.operatorListener[keyPath: row]) }
    set { values[SettingTable.operatorListener[keyPath: row].name] = newValue }
  }

  subscript<Value>(dynamicMember row: KeyPath<ListRows, Setting<Value>>) -> Value {
    value(of: SettingTable.list[keyPath: row])
  }

  subscript<Value>(dynamicMember row: KeyPath<MailRows, Setting<Value>>) -> Value {
    value(of: SettingTable.mail[keyPath: row])
  }

  private func value<Value>(of row: Setting<Value>) -> Value {
    // Each row has a value of its type.
    values[row.name] as? Value ?? row.defaultValue
  }

  /// Rejects an operator's listener with the address of the public one.
  private func requireDifferentListeners() throws(SettingError) {
    // With port 0, each listener gets its own port.
    if case .network(let host) = self.listen, host.port == 0 { return }
    guard self.operatorListen == self.listen else { return }
    throw SettingError(
      setting: "--\(SettingTable.operatorListener.operatorListen.name)",
      value: self.listen.description,
      reason: "expected another address than that of --\(SettingTable.service.listen.name)")
  }

  /// Rejects a list of origins that does not fit into the Content-Security-Policy of a response.
  private func requireShortPolicy() throws(SettingError) {
    let bytes = ServiceResponsePolicy.policyBytes(with: self.allowedOrigins)
    guard bytes > ServiceResponsePolicy.maximumPolicyBytes else { return }
    throw SettingError(
      setting: "--\(SettingTable.service.allowedOrigins.name)",
      value: self.allowedOrigins.sources.joined(separator: ","),
      reason: """
        the Content-Security-Policy of the pages would take \(bytes) bytes; \
        expected at most \(ServiceResponsePolicy.maximumPolicyBytes): list fewer origins
        """
    )
  }
}
