extension CompositeDisposable {
  /// Schedules work that is a member from now until it begins.
  ///
  /// - Parameters:
  ///   - delay: The delay.
  ///   - scheduler: The scheduler that runs the work.
  ///   - work: The work, which runs unless it is disposed before.
  /// - Returns: A disposable that cancels only this work.
  @usableFromInline
  @discardableResult
  func schedule(
    after delay: Duration, on scheduler: some Scheduler, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let member = SerialDisposable()
    add(member)
    guard !member.isDisposed else { return member }
    member.replace(
      with: scheduler.schedule(after: delay) {
        self.remove(member)
        guard !member.isDisposed else { return }
        member.dispose()
        work()
      }
    )
    return member
  }
}
