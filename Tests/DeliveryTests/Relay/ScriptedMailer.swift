import Delivery
import EmailAddresses
import Signals
import MailingList
import SignalsTesting

/// A mailer whose results a test decides, on virtual time.
final class ScriptedMailer: Mailer {
  private struct State {
    var results: [String: [DeliveryError?]] = [:]
    var failure: DeliveryError?
    var duration = Duration.milliseconds(100)
    var starts: [(local: String, time: Duration, attempts: Int)] = []
    var runningCount = 0
    var maximumRunning = 0
    var canceled: [String] = []
  }

  private let state = Lock(State())
  private let scheduler: TestScheduler

  init(on scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  /// The result of all mails without a script; `nil`, the initial value, accepts them.
  var failure: DeliveryError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// How long a delivery takes.
  var duration: Duration {
    get { state.withLock { $0.duration } }
    set { state.withLock { $0.duration = newValue } }
  }

  /// Sets the results of the next mails to a local part.
  func script(_ local: String, _ results: DeliveryError?...) {
    state.withLock { $0.results[local] = results }
  }

  /// The local parts of all deliveries that were started, in order.
  var started: [String] { state.withLock { $0.starts.map(\.local) } }
  /// The times of all deliveries that were started.
  var startTimes: [Duration] { state.withLock { $0.starts.map(\.time) } }
  /// The counted attempts of the mails before each delivery.
  var attempts: [Int] { state.withLock { $0.starts.map(\.attempts) } }
  /// The largest number of deliveries at a time.
  var maximumRunning: Int { state.withLock { $0.maximumRunning } }
  /// The local parts of the deliveries that were canceled.
  var canceled: [String] { state.withLock { $0.canceled } }

  func deliver(_ mail: ClaimedMail, _ message: MailMessage) -> Signal<Never, DeliveryError> {
    Signal { observer in
      let local = mail.recipient.local
      let time = self.scheduler.now
      let duration = self.state.withLock { state in
        state.starts.append((local, time, mail.attempts))
        state.runningCount += 1
        state.maximumRunning = max(state.maximumRunning, state.runningCount)
        return state.duration
      }
      let isOver = Lock(false)
      let work = self.scheduler.schedule(after: duration) {
        isOver.withLock { $0 = true }
        let error: DeliveryError? = self.state.withLock { state in
          state.runningCount -= 1
          guard state.results[local]?.isEmpty == false else { return state.failure }
          return state.results[local]?.removeFirst() ?? nil
        }
        if let error { observer.fail(error) } else { observer.complete() }
      }
      return AnyDisposable {
        work.dispose()
        guard !isOver.withLock({ $0 }) else { return }
        self.state.withLock { state in
          state.runningCount -= 1
          state.canceled.append(local)
        }
      }
    }
  }
}
