internal import Microhttpd
internal import Platform

extension MetricRegistry {
  /// Adds the values of the process and its log that are read for each scrape.
  func observeProcess() {
    let start = ThisProcess.start
    observe("enlist_build_info", [.init("version", EnlistCommand.versionNumber)]) { 1 }
    observe("enlist_log_lines_dropped_total") {
      Double(LogOutput.standardError.droppedLineCount)
    }
    observe("process_open_fds") { ThisProcess.openDescriptors.map(Double.init) }
    observe("process_max_fds") { ThisProcess.maximumDescriptors.map(Double.init) }
    observe("process_resident_memory_bytes") { ThisProcess.residentBytes.map(Double.init) }
    observe("process_cpu_seconds_total") { ThisProcess.processorSeconds }
    observe("process_start_time_seconds") { start }
  }

  /// Adds the values of the public listener that are read for each scrape.
  func observe(_ daemon: Daemon, certificate: Certificate) {
    observe("enlist_connections") { Double(daemon.connectionCount) }
    observe("enlist_streams") { Double(daemon.streamCount) }
    observe("enlist_certificate_seconds") { certificate.secondsLeft }
  }

  func observe(_ mail: MailService) {
    observe("enlist_relay_paused") { mail.isPaused ? 1 : 0 }
    observe("enlist_mail_strain") { mail.strain }
  }
}
