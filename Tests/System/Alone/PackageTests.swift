import Foundation
import TestSupport
import Testing

/// Tests of the systemd units and of the Debian package, which contains the program built for the
/// tests.
@Suite(.disabled(if: Sanitizer.isActive, "the systemd unit does not allow what a sanitizer does"))
struct PackageTests {
  /// The folder of the repository.
  private static let root = Repository.root.path

  /// The script that installs the package in a copy of this machine.
  private static let trial = "Tests/package-trial.sh"

  /// Whether the tools that make a package are there.
  private static let canPackage = Child.finds("dh")

  /// Whether this machine can boot a copy of itself, in which the package is installed.
  private static let canBoot =
    (try? Child.run(
      ["bash", "-c", #""$0" --possible "$(command -v enlist)""#, "\(root)/\(trial)"],
      within: .seconds(300)
    ).end) == .exit(0)

  /// Runs a shell command, in which `$0` is the folder of the repository.
  private func run(_ command: String, in folder: Folder) throws -> Child.Outcome {
    try Child.run(["bash", "-c", command, Self.root], in: folder, within: .seconds(300))
  }

  /// Makes `enlist_VERSION_ARCHITECTURE.deb` in a folder.
  private func makePackage(in folder: Folder) throws {
    let script = try run(
      #""$0/Scripts/package" --program "$(command -v enlist)" --output ."#, in: folder)
    try #require(script.end == .exit(0), "\(script.output)\(script.errors)")
    #expect(
      script.output.wholeMatch(of: /\/.*\/enlist_\d+\.\d+\.\d+_\w+\.deb\n/) != nil,
      "\(script.output)")
  }

  @Test(
    .enabled(
      if: Child.finds("systemd-analyze"), "systemd is not installed: Scripts/bootstrap all"))
  func `systemd rates the exposure of the unit at 2.0 or less`() throws {
    let folder = try Folder()
    let command = #"systemd-analyze security --offline=true "$0/debian/enlist.service""#
    let output = try run(command, in: folder).output
    let level = try #require(output.firstMatch(of: /exposure level for \S+: (\d+\.\d)/)?.1)
    let exposure = try #require(Double(level))
    #expect(exposure <= 2)
  }

  @Test(.enabled(if: canPackage, "debhelper is not installed: Scripts/bootstrap all"))
  func `the package contains the program, its units and its settings file`() throws {
    let folder = try Folder()
    try makePackage(in: folder)
    let content = try run(#"dpkg-deb --contents enlist_*.deb | awk '{print $1, $6}'"#, in: folder)
    let files = content.output.split(separator: "\n").map(String.init)
    for file in [
      "-rwxr-xr-x ./usr/bin/enlist", "-rw-r----- ./etc/enlist/enlist.conf",
      "-rw-r--r-- ./usr/share/bash-completion/completions/enlist",
      "-rw-r--r-- ./usr/share/zsh/vendor-completions/_enlist",
      "-rw-r--r-- ./usr/share/fish/vendor_completions.d/enlist.fish",
      "-rw-r--r-- ./usr/share/doc/enlist/copyright",
      "-rw-r--r-- ./usr/share/doc/enlist/changelog.gz",
      "-rw-r--r-- ./usr/lib/systemd/system/enlist.service",
      "-rw-r--r-- ./usr/lib/systemd/system/enlist.socket",
    ] {
      #expect(files.contains(file), "\(file) is not in \(files)")
    }
    let control = try run("dpkg-deb --info enlist_*.deb", in: folder).output
    for library in [
      "libc6", "libcurl3", "libgnutls30", "libmicrohttpd12", "libpq5", "libpsl5", "libsqlite3-0",
    ] {
      #expect(control.contains(library), "\(library) is not in \(control)")
    }
    let settings = try run("dpkg-deb --info enlist_*.deb conffiles", in: folder).output
    #expect(settings == "/etc/enlist/enlist.conf\n")
  }

  @Test(
    .enabled(
      if: canPackage && Child.finds("lintian"),
      "debhelper or lintian is not installed: Scripts/bootstrap all"))
  func `lintian finds nothing wrong with the package`() throws {
    let folder = try Folder()
    try makePackage(in: folder)
    // The program built for the tests uses the libraries of the toolchain, and has no manual.
    let command = "lintian --suppress-tags custom-library-search-path,no-manual-page"
    try run("\(command) --fail-on error,warning enlist_*.deb", in: folder).expect(0)
  }

  @Test(
    .enabled(
      if: canPackage && canBoot,
      "this machine cannot boot a copy of itself: see package-trial.sh --possible"))
  func `systemd runs the service from the installation of the package to its removal`() throws {
    let folder = try Folder()
    try makePackage(in: folder)
    let trial = try run(#""$0/\#(Self.trial)" enlist_*.deb"#, in: folder).expect(0)
    #expect(trial.output.contains("\npassed\n"), "\(trial.output)")
  }
}
