import Testing

@testable import enlist

@Suite struct ThisProcessTests {
  @Test(
    arguments: [
      ("0::/a/b\n", ["/sys/fs/cgroup/a/memory.max": "134217728\n"], 134_217_728),
      (
        "0::/a/b\n",
        ["/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/memory.max": "4096\n"], 4096
      ),
      ("0::/\n", ["/sys/fs/cgroup/memory.max": "8192\n"], 8192),
      (
        "0::/a/b\n",
        ["/sys/fs/cgroup/a/b/memory.max": "8192\n", "/sys/fs/cgroup/a/memory.max": "4096\n"], 4096
      ),
      (
        "0::/a/b\n",
        ["/sys/fs/cgroup/a/b/memory.max": "4096\n", "/sys/fs/cgroup/a/memory.max": "8192\n"], 4096
      ),
      (
        "5:cpu,memory:/c\n1:name=systemd:/\n",
        ["/sys/fs/cgroup/memory/c/memory.limit_in_bytes": "65536\n"], 65_536
      ),
      (
        "5:memory:/c\n", ["/sys/fs/cgroup/memory/c/memory.limit_in_bytes": "9223372036854771712\n"],
        nil
      ),
      ("0::/a\n", ["/sys/fs/cgroup/a/memory.max": "max\n"], nil),
      ("5:cpu:/c\n", ["/sys/fs/cgroup/memory/c/memory.limit_in_bytes": "65536\n"], nil),
      ("", [:], nil),
    ] as [(String, [String: String], Int?)]
  )
  func `the lowest memory limit of the control groups applies`(
    _ groups: String, _ files: [String: String], _ expected: Int?
  ) {
    #expect(ThisProcess.lowestLimit(ofGroups: groups) { files[$0] ?? "" } == expected)
  }
}
