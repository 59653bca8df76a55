public import Foundation
public import Signals

extension NotificationCenter {
  /// Returns the notifications of a name as a hot signal that never ends.
  ///
  /// Each subscription adds an observer of its own, and disposal removes it. The observer runs on
  /// the thread that posts, and converts each notification there, since a notification itself must
  /// not be passed between threads.
  ///
  /// - Parameters:
  ///   - name: The name of the notifications.
  ///   - object: The sender of the notifications; any sender by default. It is not kept alive.
  ///   - value: Returns the value to send for a notification, or `nil` to send none.
  /// - Returns: A signal of a value for each notification that is posted while it is subscribed.
  public func notifications<Value: Sendable>(
    named name: Notification.Name, object: (any AnyObject & Sendable)? = nil,
    _ value: @escaping @Sendable (Notification) -> Value?
  ) -> Signal<Value, Never> {
    let isOfAnybody = object == nil
    return Signal { [weak object, weak self] observer in
      guard let self, isOfAnybody || object != nil else { return nil }
      let token = Token(
        self.addObserver(forName: name, object: object, queue: nil) { notification in
          if let value = value(notification) { observer.send(value) }
        }
      )
      return AnyDisposable { [weak self] in self?.removeObserver(token.observer) }
    }
  }
}

/// A disposable that removes an observer from its notification center.
// @unchecked Sendable because the token is only stored, and passed back to the center.
private final class Token: @unchecked Sendable {
  let observer: any NSObjectProtocol

  init(_ observer: any NSObjectProtocol) {
    self.observer = observer
  }
}
