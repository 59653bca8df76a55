import Foundation
import Signals
import SignalsFoundation
import SignalsTesting
import Testing

@Suite struct NotificationsTests {
  private let center = NotificationCenter()
  private let name = Notification.Name("posted")

  @Test func `sends what is posted while it is subscribed`() {
    let recorder = Recorder()
    let signal = center.notifications(named: name) { $0.userInfo?["text"] as? String }
    center.post(name: name, object: nil, userInfo: ["text": "before"])
    let subscription = recorder.record(signal, as: "S")
    center.post(name: name, object: nil, userInfo: ["text": "a"])
    center.post(name: name, object: nil)
    center.post(name: Notification.Name("other"), object: nil, userInfo: ["text": "b"])
    subscription.dispose()
    center.post(name: name, object: nil, userInfo: ["text": "after"])
    #expect(recorder.lines == ["0.0 S a"])
  }

  @Test func `sends those of one object only, and does not keep it`() {
    let seen = Counter()
    weak var gone: Counter?
    do {
      let object = Counter()
      gone = object
      center.notifications(named: name, object: object) { _ in 1 }
        .subscribe(next: { _ in seen.increment() })
        .dispose()
      let subscription = center.notifications(named: name, object: object) { _ in 1 }
        .subscribe(next: { _ in seen.increment() })
      center.post(name: name, object: object)
      center.post(name: name, object: Counter())
      center.post(name: name, object: nil)
      subscription.dispose()
    }
    #expect(seen.value == 1)
    #expect(gone == nil)
  }
}
