internal import ArgumentParser

/// `enlist healthcheck`: asks the service whether it is ready, for an image without curl.
struct Healthcheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask the service at --listen whether it is ready; exit 0 or 1.",
    discussion:
      "0.0.0.0 and [::] mean the loopback address. With --tls-certificate it asks over TLS."
  )

  @OptionGroup var listen: ListenOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() throws {
    ProcessSignals.ignoreWriteSignals()
    let settings = try Settings.read([listen], file: file)
    guard let address = SocketAddress(of: settings.listen) else {
      throw CommandFailure.exit(
        saying: "--listen is \"systemd\": only the service knows its socket; name its address",
        code: 64
      )
    }
    let probe = HealthProbe(
      address: address,
      isSecure: settings.tlsCertificate != nil,
      timeout: .seconds(3)
    )
    let status: Int
    do throws(HealthProbeError) {
      status = try probe.fetchStatus()
    } catch {
      throw CommandFailure.exit(saying: "\(probe.address) is not ready: \(error)")
    }
    guard status == 200 else {
      throw CommandFailure.exit(saying: "\(probe.address) is not ready: it answered \(status)")
    }
  }
}
