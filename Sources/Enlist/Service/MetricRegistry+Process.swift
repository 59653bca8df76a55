internal import Microhttpd
internal import Platform

extension MetricRegistry {
  /// Adds the values of the process and its log that are read for each scrape.
  func observeProcess() {
    let start = ProcessStatistics.startSeconds
    observe("enlist_build_info", [.init("version", EnlistCommand.versionNumber)]) { 1 }
    observe("enlist_log_lines_dropped_total") {
      Double(LogOutput.standardError.droppedLineCount)
    }
    observe("process_open_fds") { ProcessStatistics.openDescriptors.map(Double.init) }
    observe("process_max_fds") { ProcessStatistics.maximumDescriptors.map(Double.init) }
    observe("process_resident_memory_bytes") { ProcessStatistics.residentBytes.map(Double.init) }
    observe("process_cpu_seconds_total") { ProcessStatistics.processorSeconds }
    observe("process_start_time_seconds") { start }
  }

  /// Adds the values of the public listener that are read for each scrape.
  func observe(_ daemon: Daemon, certificate: CertificateClock) {
    observe("enlist_connections") { Double(daemon.connectionCount) }
    for (name, transport) in [("direct", StreamTransport.direct), ("library", .library)] {
      observe("enlist_streams", [.init("kind", name)]) {
        Double(daemon.streamCount(through: transport))
      }
    }
    observe("enlist_certificate_seconds") { certificate.secondsLeft }
  }
}
