import Signals

/// A form with one field and one button; it has no screen, so it prints what a screen would show.
@main
struct SignUpForm {
  /// Why an address could not be stored.
  nonisolated enum StoreError: Error {
    case full
  }

  static func main() async {
    // Cold: each subscription reads the rules again.
    let rules = Signal<Int, Never> { observer in
      print("reading the rules")
      observer.send(2)
      observer.complete()
      return AnyDisposable { print("the rules are closed") }
    }

    // Hot: keys reach only the current observers.
    let keys = Subject<String, Never>()
    let texts = keys.signal.scan("", +)
    let email = Property("")
    email.bind(to: texts)

    // A command: one execution at a time, and only with an address.
    let subscribe = Command<String, Int, StoreError>(
      enabled: email.signal.map { $0.contains("@") }.distinctUntilChanged()
    ) { address in
      rules.flatMap { limit in
        address.count > 10 * limit ? .fail(.full) : .just(address.count)
      }
    }
    subscribe.enabled.subscribe(next: { print($0 ? "button on" : "button off") })
    subscribe.executionEvents.subscribe(next: { event in
      switch event {
      case .started(_, let address): print("Sending request... (\(address))")
      case .next(_, let size): print("\(size) characters stored")
      case .completed: print("Thanks")
      case .failed(_, _, let error): print("Error :( (\(error))")
      }
    })

    subscribe.execute(email.value).subscribe(failed: { print("rejected: \($0)") })
    for key in ["ana", "@", "example.com"] { keys.send(key) }
    subscribe.execute(email.value)
    keys.send(".of.a.long.name")
    subscribe.execute(email.value)

    // Signals can be awaited, too; a signal that cannot fail needs no `try`.
    var sizes: [Int] = []
    for await size in email.signal.map(\.count).take(1).values { sizes.append(size) }
    print("the field has \(sizes) characters")
  }
}
