// swift-tools-version: 6.2

import PackageDescription

// Nothing is on the main actor by default, and the compiler checks isolation as strictly as it can.
let package = Package(
  name: "isolation",
  dependencies: [.package(name: "enlist", path: "../..")],
  targets: [
    .executableTarget(
      name: "Isolation",
      dependencies: [.product(name: "Signals", package: "enlist")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
