package import Platform

/// All metrics of the service, in the order of `/metrics`; the only list of their names.
package enum MetricTable {
  /// The definitions; `docs/operating/metrics.md` explains what each of them means for an operator
  /// on call.
  package static let definitions: [MetricDefinition] = [
    .init("enlist_build_info", .gauge, "Always 1; the label is the version of the program."),

    .init("enlist_executions_total", .counter, "Executions of sign-ups that have ended."),
    .init(
      "enlist_execution_conflicts_total", .counter,
      "Sign-ups rejected because one for the same address was executing."),
    .init("enlist_problems_total", .counter, "Responses with a problem, by its type."),
    .init("enlist_invalid_addresses_total", .counter, "Sign-ups with an invalid address."),
    .init(
      "enlist_rejections_total", .counter,
      "Requests, connections and streams rejected by the HTTP server."),
    .init(
      "enlist_subscribers", .gauge, "People on the list by state, counted at most once a minute."),

    .init(
      "enlist_commit_seconds",
      .histogram(bounds: [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
      ]),
      "Time of a committed transaction."
    ),
    .init(
      "enlist_commit_size", .histogram(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256]),
      "Sign-ups and changes in a committed transaction."),
    .init("enlist_queued_sign_ups", .gauge, "Sign-ups that wait for a transaction."),
    .init(
      "enlist_store_errors_total", .counter, "Requests and probes that failed because of the store."
    ),
    .init("enlist_wal_bytes", .gauge, "Size of the write-ahead log of the database."),
    .init("enlist_database_connected", .gauge, "1 while a connection to the server is open."),
    .init(
      "enlist_database_reconnects_total", .counter,
      "Connections to the server that were lost and are open again."),
    .init(
      "enlist_status_lag_seconds",
      .histogram(bounds: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
      "Time from a status message until this replica has read it."),
    .init(
      "enlist_status_numbered_total", .counter,
      "Batches whose status messages got their positions from this replica."),
    .init(
      "enlist_status_stalled", .gauge,
      "1 while status messages have waited for their positions for 10 seconds or more."),
    .init(
      "enlist_status_malformed_total", .counter,
      "Rows of pending status messages that were deleted because they were malformed."),

    .init("enlist_outbox_messages", .gauge, "Mails that wait, counted up to 10000."),
    .init("enlist_outbox_oldest_seconds", .gauge, "Age of the oldest mail that waits."),
    .init("enlist_mails_held", .gauge, "Mails held because a budget is spent, up to 10000."),
    .init("enlist_mail_strain", .gauge, "Used part of --mail-budget; mails are held from 1 on."),
    .init("enlist_mails_total", .counter, "Mails by what has become of them."),
    .init("enlist_relay_paused", .gauge, "1 while no mail is sent because the relay fails."),
    .init("enlist_relay_elsewhere", .gauge, "1 while another process sends the mails."),

    .init("enlist_webhook_lag_events", .gauge, "Events that a webhook has not got yet."),
    .init("enlist_webhook_attempts_total", .counter, "Requests to webhooks by their result."),

    .init("enlist_streams", .gauge, "Open event streams."),
    .init("enlist_stream_closes_total", .counter, "Event streams that have ended."),
    .init("enlist_stream_events_total", .counter, "Events sent to clients of event streams."),
    .init("enlist_connections", .gauge, "Open connections of the public listener."),
    .init("enlist_certificate_seconds", .gauge, "Time until the certificate expires."),
    .init("enlist_key_failures_total", .counter, "Requests rejected because of their key."),
    .init("enlist_log_lines_dropped_total", .counter, "Log lines that did not fit its buffer."),

    .init("process_open_fds", .gauge, "Open file descriptors."),
    .init("process_max_fds", .gauge, "Limit of open file descriptors."),
    .init("process_resident_memory_bytes", .gauge, "Resident memory."),
    .init("process_cpu_seconds_total", .counter, "Processor time of all threads."),
    .init("process_start_time_seconds", .gauge, "Start of the process in seconds since 1970."),
  ]
}
