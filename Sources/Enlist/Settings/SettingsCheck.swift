internal import Security
internal import MailingList

/// A validation of all settings, separately and in combination, which opens no socket and no
/// database.
struct SettingsCheck {
  /// The effective settings, in the order of `--help`; empty if there are errors.
  private(set) var lines: [String] = []
  /// Problems that do not prevent the service from starting.
  private(set) var warnings: [String] = []
  /// All invalid settings, and all environment variables that do not belong to a setting.
  private(set) var errors: [SettingError] = []

  /// Validates settings, and the files in them.
  ///
  /// - Parameters:
  ///   - memoryBytes: The memory limit of the process; `nil` without a limit.
  ///   - now: The current time, in seconds since 1970.
  init(_ layers: SettingLayers, descriptors: Int, memoryBytes: Int?, at now: Int) {
    warnings = layers.fileWarnings
    errors = layers.unknownVariables
    var effective: [EffectiveSetting] = []
    for row in SettingTable.rows {
      do throws(SettingError) {
        effective.append(try layers.effective(row))
      } catch {
        errors.append(error)
      }
    }
    guard errors.isEmpty else { return }
    var settings: Settings
    do throws(SettingError) {
      settings = try Settings(layers)
    } catch {
      errors.append(error)
      return
    }
    do throws(SettingError) {
      if let time = try settings.tlsIdentity()?.expirationTime,
        let expiry = CertificateExpiry(of: time, at: now)
      {
        warnings.append(expiry.message)
      }
    } catch {
      errors.append(error)
    }
    do throws(SettingError) {
      let profile = try settings.listProfile()
      warnings += settings.warnings(about: profile)
      _ = try settings.mailDelivery(of: profile, preparesDirectory: false)
    } catch {
      errors.append(error)
    }
    do throws(SettingError) {
      _ = try settings.webhookAuthorities()
    } catch {
      errors.append(error)
    }
    warnings += settings.mailWarnings
    warnings += settings.fit(descriptors: descriptors, memoryBytes: memoryBytes)
    guard errors.isEmpty else { return }
    let (optIn, reason) = settings.effectiveOptIn
    lines =
      effective.map(\.description) + ["opt-in in force: \(optIn.rawValue) (\(reason))"]
  }
}
