internal import ArgumentParser
internal import SQLiteStorage

/// The `enlist backup` command, which copies the database to a file.
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the database to a file.",
    discussion: """
      The command works while the service is running, and no sign-up waits for it. The file \
      contains everything that was stored when the command began, and only its owner can access \
      it. A file of that name is replaced when the copy is complete; if the command is interrupted \
      or killed, the old file is unchanged. Until the copy is complete, the write-ahead log of a \
      running service grows by everything that is stored meanwhile. A backup contains personal \
      data and, without --secret, the secret of the service. The exit code is 0 if the backup is on \
      the disk, 65 if the database is damaged or belongs to another program or release, 75 if \
      another process is in the way, otherwise 1.
      """
  )

  @Argument(help: "Path of the backup; its folder must exist", completion: .file())
  var target: String
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var log: LogOptions
  @OptionGroup var file: ConfigurationFileOption

  func run() throws {
    ProcessSignals.ignoreWriteSignals()
    let settings = try Settings.read([database, log], file: file)
    Interruption.listen()
    let bar = ProgressBar()
    do {
      let backup = try writeBackup(settings, to: target) { progress in
        bar.draw(progress.copiedBytes, of: progress.totalBytes)
        return !Interruption.hasArrived
      }
      bar.erase()
      let size = "\(backup.byteCount) bytes"
      try OutputStream.standardOutput.write(
        line: "wrote \(LineText.escaped(target)): \(size), schema version \(backup.schemaVersion)"
      )
    } catch OutputError.closed {
      // The summary has no reader, but the backup is complete.
    } catch {
      bar.erase()
      throw CommandFailure.exit(saying: error)
    }
  }
}
