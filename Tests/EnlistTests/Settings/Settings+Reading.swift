import Testing

@testable import enlist

extension Settings {
  /// Reads settings of which at most one is wrong, and throws its error.
  static func read(
    _ flags: [String: String] = [:], environment: [String: String] = [:]
  ) throws(SettingError) -> Settings {
    do throws(SettingErrors) {
      return try Settings(SettingSources(flags, environment: environment))
    } catch {
      #expect(error.all.count == 1, "\(error)")
      throw error.all.first ?? SettingError(setting: "", reason: "there is no error")
    }
  }
}
