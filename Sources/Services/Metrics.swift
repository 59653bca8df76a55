internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
package import Platform
internal import Signals

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

/// The counters of responses with a problem, by its type, and of invalid addresses, by the reason.
///
/// Successful sign-ups do not use them.
final class ProblemMetrics: Sendable {
  /// The code of an address whose domain accepts no mail.
  private static let undeliverable = "undeliverable"

  private let problems: CounterFamily<String>
  private let reasons: CounterFamily<String>

  init(_ registry: MetricRegistry) {
    problems = CounterFamily(
      "enlist_problems_total", by: "problem", of: Texts.publicProblemNames, registry, name: \.self)
    reasons = CounterFamily(
      "enlist_invalid_addresses_total", by: "reason",
      of: EmailAddressError.Reason.allCases.map(\.rawValue) + [Self.undeliverable], registry,
      name: \.self)
  }

  func count(_ problem: ProblemDetails) {
    problems.count(problem.name)
    guard problem.name == ServiceProblem.invalidEmail.rawValue, let error = problem.errors.first
    else { return }
    reasons.count(error.code)
  }
}

/// The handler of `GET /metrics`.
///
/// Counting costs a sign-up only an addition; values that must be read are read here.
extension Operator {
  /// The time for which a request waits for the store, and once more for its key.
  ///
  /// Prometheus waits 10 seconds.
  static let readTimeout: Duration = .seconds(2)

  func showMetrics(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let samples = combineLatest(subscriberSamples, outboxSamples) { $0 + $1 }
    samples.deliver(on: scheduler).subscribe(next: { [registry] samples in
      var response = Response(status: .ok, body: .bytes(registry.text(adding: samples)))
      response.fields[.contentType] = MetricRegistry.mediaType
      response.fields[.cacheControl] = "no-store"
      exchange.respond(response)
    })
  }

  /// The numbers of subscribers, which are missing if the last attempt to read them failed.
  private var subscriberSamples: Signal<[MetricSample], Never> {
    recentCounts.value.map { byState in
      guard let byState else { return [] }
      return Subscriber.State.allCases.map { state in
        MetricSample(
          "enlist_subscribers", [.init("state", state.name)], Double(byState[state] ?? 0))
      }
    }
  }

  /// The number of waiting mails, which is missing while the store cannot be read in time.
  private var outboxSamples: Signal<[MetricSample], Never> {
    let time = now()
    return recentBacklog.value.map { backlog in
      guard let backlog else { return [] }
      let age = backlog.oldest.map { oldest in
        max(0, Double(time.millisecondsSince1970) - Double(oldest.millisecondsSince1970)) / 1000
      }
      return [
        MetricSample("enlist_outbox_messages", [], Double(backlog.waiting)),
        MetricSample("enlist_outbox_oldest_seconds", [], age ?? 0),
        MetricSample("enlist_mails_held", [], Double(backlog.held)),
        MetricSample("enlist_relay_elsewhere", [], backlog.isServedElsewhere ? 1 : 0),
      ]
    }
  }
}

/// What a store reads at most once in a time, because the number of requests is not limited.
///
/// Requests during a read share it. A failed read is not repeated earlier either, because it may
/// have taken too long.
final class Recent<Value: Sendable>: Sendable {
  private struct State {
    /// What requests get, from a read or while it lasts; `nil` before the first.
    var answer: Signal<Value?, Never>?
    /// What the last read has sent; `nil` if it failed.
    var last: Value?
    /// The end of the last read; `nil` during one.
    var end: Timestamp?
  }

  private let read: Signal<Value, StoreError>
  private let lifetime: Duration
  private let limit: Duration
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let state = Lock(State())

  /// - Parameters:
  ///   - lifetime: The time for which a value is reused.
  ///   - limit: The time after which a read counts as failed, so that one that never ends does not
  ///     prevent the next. If it is longer than requests wait, they get the value before.
  init(
    _ read: Signal<Value, StoreError>, for lifetime: Duration, limit: Duration,
    on scheduler: any Scheduler, now: @escaping @Sendable () -> Timestamp
  ) {
    self.read = read
    self.lifetime = lifetime
    self.limit = limit
    self.scheduler = scheduler
    self.now = now
  }

  /// The value, `nil` if the last attempt to read it failed; the signal sends once.
  var value: Signal<Value?, Never> {
    let time = now()
    return state.withLock { state in
      // A clock that was set back ends the lifetime.
      let isUsed = state.end.map { $0 <= time && time < $0.adding(lifetime) } ?? true
      if isUsed, let answer = state.answer { return answer }
      let reading = read.timeout(after: limit, on: scheduler, with: .unreachable)
        .map { $0 as Value? }
        .catch { _ in Signal<Value?, StoreError>.just(nil) }
        .do(next: { [self] value in
          let end = now()
          self.state.withLock { $0 = State(answer: .just(value), last: value, end: end) }
        })
        .replayLazily()
      // The read continues when nobody waits for it any more.
      let wait = Operator.readTimeout
      let waiting =
        limit > wait ? reading.timeout(after: wait, on: scheduler, with: .unreachable) : reading
      let answer = waiting.replaceError(with: state.last).replayLazily()
      state.answer = answer
      state.end = nil
      return answer
    }
  }
}
