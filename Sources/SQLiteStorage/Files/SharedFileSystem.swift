internal import CStatx

/// A file system that programs may reach in several ways, each with locks and mapped memory of its
/// own.
package enum SharedFileSystem: String, CaseIterable, Sendable {
  case fuse = "FUSE"
  case nfs = "NFS"
  case smb = "SMB"
  case plan9 = "9p"
  case ceph = "Ceph"
  case virtualBox = "vboxsf"

  /// Recognizes the file system of an open file; `nil` for any other.
  ///
  /// The corresponding C function is `fstatfs`.
  init?(of descriptor: Int32) {
    var status = statfs()
    guard fstatfs(descriptor, &status) == 0 else { return nil }
    let type = UInt32(truncatingIfNeeded: status.f_type)
    guard let system = Self.allCases.first(where: { $0.types.contains(type) }) else { return nil }
    self = system
  }

  /// The values of `f_type`, see statfs(2) and `linux/magic.h`.
  private var types: [UInt32] {
    switch self {
    case .fuse: [0x6573_5546]
    case .nfs: [0x6969]
    case .smb: [0x517B, 0xFF53_4D42, 0xFE53_4D42]
    case .plan9: [0x0102_1997]
    case .ceph: [0x00C3_6400]
    case .virtualBox: [0x786F_4256]
    }
  }
}
