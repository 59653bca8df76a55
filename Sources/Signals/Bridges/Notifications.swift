public import Foundation

extension NotificationCenter {
  /// The notifications of a name, as a hot signal that never ends.
  ///
  /// Each subscription adds an observer of its own, and disposal removes it. It is called on the
  /// thread that posts, and takes out of the notification there what the signal is to send, for a
  /// notification itself must not go from thread to thread.
  ///
  /// - Parameters:
  ///   - name: Which notifications.
  ///   - object: Whose notifications, or those of anybody unless told otherwise. It is not kept
  ///     alive.
  ///   - value: Makes what is sent of a notification, or `nil` to send nothing.
  /// - Returns: Sends a value for each notification that is posted while it is subscribed.
  public func notifications<Value: Sendable>(
    named name: Notification.Name,
    object: (any AnyObject & Sendable)? = nil,
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

/// What takes an observer out of its notification center.
// @unchecked Sendable because it is only kept, and handed back to the center.
private final class Token: @unchecked Sendable {
  let observer: any NSObjectProtocol

  init(_ observer: any NSObjectProtocol) {
    self.observer = observer
  }
}
