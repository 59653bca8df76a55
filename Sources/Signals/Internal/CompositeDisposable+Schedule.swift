extension CompositeDisposable {
  /// Schedules work that is a member from now until it begins.
  ///
  /// - Parameters:
  ///   - delay: The delay.
  ///   - scheduler: Where the work runs.
  ///   - work: The work, which runs unless it is disposed before.
  /// - Returns: What cancels the work alone.
  @usableFromInline
  @discardableResult
  func schedule(
    after delay: Duration,
    on scheduler: some Scheduler,
    _ work: @escaping @Sendable () -> Void
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
