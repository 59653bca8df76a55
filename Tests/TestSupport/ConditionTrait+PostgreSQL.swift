package import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test, visibly, where PostgreSQL is not installed.
  package static var needsPostgreSQL: Self {
    .enabled(
      if: PostgreSQLServer.isInstalled,
      "PostgreSQL 14 or later is not installed; Scripts/bootstrap all installs it")
  }
}
