internal import ArgumentParser
internal import Delivery
internal import Platform

/// The `enlist healthcheck` command, which checks readiness in an image without curl.
struct Healthcheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check whether the service at --listen is ready.",
    discussion: """
      For 0.0.0.0 and [::] the check uses the loopback address. With --tls-certificate it uses TLS.
      """
  )

  @OptionGroup var listen: ListenOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() throws {
    let settings = try readSettings()
    guard let address = SocketAddress(of: settings.listen) else {
      throw CommandFailure.exit(
        saying: """
          invalid value "systemd" for --listen: \
          only the service knows the socket systemd passes; expected the socket's address
          """,
        code: 64
      )
    }
    let status: Int
    do throws(StatusRequestError) {
      status = try StatusRequest.send(
        "/readyz", to: address, isSecure: settings.tlsCertificate != nil, timeout: .seconds(3))
    } catch {
      throw CommandFailure.exit(saying: "\(address) is not ready: \(error)")
    }
    guard status == 200 else {
      throw CommandFailure.exit(saying: "\(address) is not ready: status \(status)")
    }
  }
}
