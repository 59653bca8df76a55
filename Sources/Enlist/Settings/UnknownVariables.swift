/// Environment variables that begin like those of settings, but do not belong to one.
enum UnknownVariables {
  private static let prefix = "ENLIST_"

  /// Finds the variables, which are most likely misspelled.
  static func find(in environment: [String: String], known: [String]) -> [SettingError] {
    let endings = known.map { String($0.dropFirst(prefix.count)) }
    return
      environment
      .filter { name, value in
        name.hasPrefix(prefix) && !known.contains(name) && !isOfKubernetes(name, value)
      }
      .keys.sorted()
      .map { name in
        let nearest = NearestName.of(String(name.dropFirst(prefix.count)), in: endings)
        let remedy =
          nearest.map { "did you mean \(prefix)\($0)?" } ?? "see enlist serve --help-all"
        return SettingError(setting: name, reason: "no setting has this name; \(remedy)")
      }
  }

  /// Whether Kubernetes sets the variable, which it does in each pod for each service; the
  /// variables of a service whose name begins with `enlist` begin like those of settings.
  private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
    name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.contains("_PORT_")
      || (name.hasSuffix("_PORT") && value.contains("://"))
  }
}
