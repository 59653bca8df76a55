extension PostgreSQLConnection {
  /// Migrates the schema; the timeout is ten minutes.
  ///
  /// - Throws: `PostgreSQLError`; the connection may then have a rejection.
  func migrate(_ session: PostgreSQLSession) throws(PostgreSQLError) {
    do throws(MigrationError) {
      try SchemaMigrator().run(session, by: .now + .seconds(600))
    } catch {
      switch error {
      case .rejected(let rejection):
        reject(rejection)
        throw .unreachable
      case .failed(let error): throw error
      }
    }
  }
}
