internal import ArgumentParser
internal import Delivery
internal import FoundationEssentials

/// The `enlist templates` command, which writes the service's built-in templates of mails.
struct Templates: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the templates of mails, to change them.",
    discussion: """
      The files are those that the service uses without --templates; delete those that you do not \
      change. The command fails if one of the files exists.
      """
  )

  @Argument(help: "Path of the directory", completion: .directory)
  var directory: String

  func run() throws {
    ProcessSignals.ignoreWriteSignals()
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    let files = MailTemplates.builtInFiles.map { (folder.appending(path: $0.name), $0.content) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure.exit(saying: "\(directory): the directory cannot be created")
    }
    for (file, _) in files where MailFiles.exists(file.path) {
      throw CommandFailure.exit(saying: "\(file.path): the file exists; choose another directory")
    }
    for (file, content) in files {
      do {
        try Data(content.utf8).write(to: file, options: .withoutOverwriting)
      } catch {
        throw CommandFailure.exit(saying: "\(file.path): the file cannot be written")
      }
      // The files are complete even if the reader has closed the pipe.
      try? OutputStream.standardOutput.write(line: file.path)
    }
  }
}
