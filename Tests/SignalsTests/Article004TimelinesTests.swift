import Foundation
import Signals
import SignalsFoundation
import SignalsTesting
import Testing

/// The timelines of article 004 on bridging into signals, event for event.
@Suite struct Article004TimelinesTests {
  private let recorder = Recorder()

  @Test func `T12, an observer that is kept sends until it is disposed`() {
    let kept = Lock<Observer<String, Never>?>(nil)
    let signal = Signal<String, Never> { [recorder] observer in
      kept.withLock { $0 = observer }
      return AnyDisposable { recorder.note("disposed") }
    }
    let subscription = recorder.record(signal, as: "S")
    let observer = kept.withLock { $0 }
    observer?.send("Hello world~")
    #expect(recorder.lines == ["0.0 S Hello world~"])
    subscription.dispose()
    observer?.send("again")
    #expect(recorder.lines == ["0.0 S Hello world~", "0.0 disposed"])
  }

  @Test func `T16, a property shows its changes, or its value and its changes`() {
    let text = Property<String?>(nil)
    recorder.record(text.changes.map { $0.new ?? "(null)" }, as: "changes")
    recorder.record(text.signal.map { $0 ?? "(null)" }, as: "values")
    text.value = "Text1"
    #expect(recorder.lines == ["0.0 values (null)", "0.0 changes Text1", "0.0 values Text1"])
  }

  @Test func `T18, a subject stands for a delegate`() {
    let delegate = Subject<String, Never>()
    recorder.record(delegate.signal, as: "S")
    delegate.send("closed")
    #expect(recorder.lines == ["0.0 S closed"])
  }

  @Test func `T19, a notification is sent once for each post, and none after disposal`() {
    let center = NotificationCenter()
    let name = Notification.Name("changed")
    let subscription = recorder.record(
      center.notifications(named: name) { $0.name.rawValue }, as: "S")
    #expect(recorder.lines.isEmpty)
    center.post(name: name, object: nil)
    center.post(name: name, object: nil)
    subscription.dispose()
    center.post(name: name, object: nil)
    #expect(recorder.lines == ["0.0 S changed", "0.0 S changed"])
  }
}
