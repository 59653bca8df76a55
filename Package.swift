// swift-tools-version: 6.2

import PackageDescription

/// Settings of every Swift target: explicit existentials and imports, and warnings are errors.
///
/// Deprecations stay warnings, so that a dependency's new release cannot break the build.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// Settings of every C target.
let cSettings: [CSetting] = [
  .define("_GNU_SOURCE"),
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
  name: "enlist",
  // The oldest systems with the atomics of Swift's Synchronization. Only Linux is tried.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  // Only the libraries: when another package depends on this one, SwiftPM resolves the dependencies
  // of all declared products, used or not, and the libraries have none. The executable is still
  // built as a product, named after its target. Scripts/outside checks what is resolved.
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "SignalsFoundation", targets: ["SignalsFoundation"]),
    .library(name: "SignalsTesting", targets: ["SignalsTesting"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
    .package(url: "https://github.com/apple/swift-http-types", .upToNextMinor(from: "1.8.0")),
    .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
  ],
  targets: [
    // The reactive library, which other packages can use on its own.
    .target(name: "Locks", swiftSettings: settings),
    .target(
      name: "Signals", dependencies: ["Locks"], exclude: ["README.md"], swiftSettings: settings),
    .target(name: "SignalsFoundation", dependencies: ["Signals"], swiftSettings: settings),
    .target(name: "SignalsTesting", dependencies: ["Locks", "Signals"], swiftSettings: settings),

    // Bytes and C strings, with the standard library only.
    .target(name: "ASCII", dependencies: ["CResources"], swiftSettings: settings),
    // The files that the program contains, from the folders of the modules that use them.
    .target(name: "CResources", cSettings: cSettings),

    // IP addresses and sockets.
    .target(name: "Networking", dependencies: ["ASCII"], swiftSettings: settings),

    // HTTP: requests and responses, and the C libraries that receive and send them.
    .systemLibrary(
      name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
    .target(
      name: "HTTPSignals", dependencies: ["ASCII", "Locks", "Networking", "Signals", httpTypes],
      swiftSettings: settings),
    .target(
      name: "GnuTLS", dependencies: ["CGnuTLS", "Locks", "Networking"], swiftSettings: settings),
    .target(
      name: "Microhttpd",
      dependencies: [
        "ASCII", "CMicrohttpd", "CThreads", "GnuTLS", "HTTPSignals", "Locks", "Monitoring",
        "Networking", "Signals",
        httpTypes, logging,
      ],
      swiftSettings: settings
    ),

    // Validates email addresses.
    .target(
      name: "EmailAddresses",
      dependencies: ["ASCII"],
      swiftSettings: settings,
      // ICU, for the toolchain's Unicode tables, see UnicodeTables.
      linkerSettings: [.linkedLibrary("_FoundationICU")]
    ),

    // The mailing list and its storage.
    .target(
      name: "MailingList",
      dependencies: ["ASCII", "EmailAddresses", "Locks", "Monitoring", "Signals"],
      swiftSettings: settings),
    // The texts of pages, problems and mails, in each language.
    .target(
      name: "Languages", dependencies: ["ASCII", "CResources"],
      exclude: ["de.json", "en.json", "es.json", "fr.json", "zh-Hans.json"], swiftSettings: settings
    ),
    // The rules of the list and its statements, for both stores.
    .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .target(
      name: "ListStorage",
      dependencies: ["CPSL", "EmailAddresses", "MailingList", "Secrets", "Signals"],
      swiftSettings: settings),
    .systemLibrary(name: "CStatx"),
    .systemLibrary(name: "CSQLite"),
    .target(
      name: "SQLiteStorage",
      dependencies: [
        "ASCII", "CResources", "CSQLite", "CStatx", "EmailAddresses", "ListStorage", "Locks",
        "MailingList", "Secrets", "Signals", "Threads",
      ],
      exclude: ["Schema/tables.sql"],
      swiftSettings: settings
    ),

    .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "PostgreSQLStorage",
      dependencies: [
        "ASCII", "CLibpq", "CResources", "EmailAddresses", "ListStorage", "Locks", "MailingList",
        "Monitoring", "Secrets", "Signals", "Threads",
      ],
      exclude: ["Schema/SQL"],
      swiftSettings: settings
    ),

    // Checks whether a domain accepts mail.
    .systemLibrary(name: "CResolver"),
    .target(
      name: "DNSLookup",
      dependencies: ["CResolver", "Locks", "MailingList", "Networking", "Signals"],
      swiftSettings: settings),

    // The secret, the keys derived from it, and the tokens and codes of mails.
    .target(name: "Secrets", dependencies: ["ASCII", "GnuTLS"], swiftSettings: settings),

    // Mails: their text, and the ways to deliver them.
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
    .target(
      name: "Delivery",
      dependencies: [
        "ASCII", "CCurl", "CResources", "EmailAddresses", "Languages", "Locks", "MailingList",
        "Networking", "Secrets", "Signals", "Threads",
      ],
      exclude: ["Templates"],
      swiftSettings: settings
    ),

    // Metrics, and their text for Prometheus.
    .target(name: "Monitoring", dependencies: ["Locks", logging], swiftSettings: settings),
    // Threads for work that blocks.
    .systemLibrary(name: "CThreads"),
    .target(name: "Threads", dependencies: ["CThreads"], swiftSettings: settings),

    // The service, its operator's side, and its program.
    .target(
      name: "SubscribeService",
      dependencies: [
        "ASCII", "CResources", "EmailAddresses", "HTTPSignals", "Languages", "Locks",
        "MailingList", "Monitoring", "Secrets", "Signals", httpTypes, logging,
      ],
      exclude: ["Description/openapi.json", "Pages/Resources"],
      swiftSettings: settings
    ),
    .target(
      name: "OperatorService",
      dependencies: [
        "ASCII", "CResources", "Delivery", "EmailAddresses", "HTTPSignals", "Locks",
        "MailingList", "Monitoring", "Networking", "Secrets", "Signals",
        httpTypes, logging,
      ],
      exclude: ["Board/Resources", "openapi-operator.json"],
      swiftSettings: settings
    ),
    .executableTarget(
      // The name of the program: an undeclared product is named after its target.
      name: "enlist",
      dependencies: [
        "ASCII", "DNSLookup", "Delivery", "EmailAddresses", "GnuTLS", "HTTPSignals", "Languages",
        "ListStorage", "Locks", "MailingList", "Microhttpd", "Monitoring", "Networking",
        "OperatorService",
        "PostgreSQLStorage", "SQLiteStorage", "Secrets", "Signals", "SubscribeService", "Threads",
        argumentParser, logging,
      ],
      path: "Sources/Enlist",
      swiftSettings: settings
    ),

    // Benchmarks. In a separate module, so that inlining is realistic.
    .target(name: "CAllocations", path: "Benchmarks/CAllocations"),
    .executableTarget(
      name: "EnlistBenchmarks",
      dependencies: [
        "CAllocations", "EmailAddresses", "HTTPSignals", "MailingList", "Microhttpd", "Signals",
        "SubscribeService",
        argumentParser, httpTypes, logging,
      ],
      path: "Benchmarks/EnlistBenchmarks",
      exclude: ["Peers"],
      resources: [.embedInCode("Thresholds.json")],
      swiftSettings: settings
    ),

    // Scripts/benchmark compares the service with the first, loads streams with the second, and
    // sends mail to the third.
    .executableTarget(
      name: "HTTPFloor",
      dependencies: ["CGnuTLS", "CLibpq", "CMicrohttpd"],
      path: "Benchmarks/HTTPFloor",
      cSettings: cSettings,
      linkerSettings: [
        .linkedLibrary("gnutls"), .linkedLibrary("microhttpd"), .linkedLibrary("pq"),
        .linkedLibrary("sqlite3"),
      ]
    ),
    .executableTarget(name: "StreamLoad", path: "Benchmarks/StreamLoad", cSettings: cSettings),
    .executableTarget(name: "MailSink", path: "Benchmarks/MailSink", cSettings: cSettings),

    // Tests.
    .target(
      name: "TestSupport",
      dependencies: [
        "CGnuTLS", "CSQLite", "EmailAddresses", "ListStorage", "Locks", "MailingList",
        "SQLiteStorage", "Secrets", "Signals", "SignalsTesting",
        logging,
      ],
      path: "Tests/TestSupport",
      exclude: ["receiver.py", "relay.py"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SignalsTests",
      dependencies: ["Locks", "Signals", "SignalsFoundation", "SignalsTesting"],
      swiftSettings: settings),
    .testTarget(name: "ASCIITests", dependencies: ["ASCII"], swiftSettings: settings),
    .testTarget(name: "NetworkingTests", dependencies: ["Networking"], swiftSettings: settings),
    .testTarget(
      name: "GnuTLSTests", dependencies: ["GnuTLS", "Networking"], swiftSettings: settings),
    .testTarget(
      name: "SecretsTests", dependencies: ["GnuTLS", "Secrets", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "HTTPSignalsTests",
      dependencies: ["HTTPSignals", "Locks", "Signals", "SignalsTesting", httpTypes],
      swiftSettings: settings),
    .testTarget(
      name: "MicrohttpdTests",
      dependencies: [
        "CMicrohttpd", "GnuTLS", "HTTPSignals", "Locks", "Microhttpd", "Monitoring", "Signals",
        "SignalsTesting", "TestSupport",
        httpTypes, logging,
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "EmailAddressesTests", dependencies: ["EmailAddresses", "SignalsTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "MailingListTests",
      dependencies: [
        "EmailAddresses", "Locks", "MailingList", "Signals", "SignalsTesting", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "DeliveryTests",
      dependencies: [
        "CCurl", "Delivery", "EmailAddresses", "Languages", "Locks", "MailingList", "Networking",
        "Secrets", "Signals", "SignalsTesting", "TestSupport",
      ],
      exclude: ["Golden"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "DNSLookupTests",
      dependencies: ["DNSLookup", "Locks", "MailingList", "Signals", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SQLiteStorageTests",
      dependencies: [
        "CSQLite", "EmailAddresses", "ListStorage", "Locks", "MailingList", "SQLiteStorage",
        "Secrets", "Signals", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SubscribeServiceTests",
      dependencies: [
        "CSQLite", "Delivery", "EmailAddresses", "HTTPSignals", "Languages", "ListStorage",
        "Locks", "MailingList", "Monitoring", "OperatorService", "SQLiteStorage", "Secrets",
        "Signals", "SignalsTesting", "SubscribeService", "TestSupport",
        httpTypes, logging,
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "MonitoringTests", dependencies: ["Monitoring", logging], swiftSettings: settings),
    .testTarget(
      name: "OperatorServiceTests",
      dependencies: [
        "EmailAddresses", "HTTPSignals", "Locks", "MailingList", "Monitoring", "OperatorService",
        "Secrets", "Signals", "SignalsTesting", "TestSupport",
        httpTypes, logging,
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "EnlistTests",
      dependencies: [
        "Delivery", "EmailAddresses", "HTTPSignals", "Locks", "MailingList", "Microhttpd",
        "OperatorService", "SQLiteStorage", "Secrets", "Signals", "SignalsTesting",
        "SubscribeService", "TestSupport",
        "enlist", argumentParser, httpTypes, logging,
      ],
      swiftSettings: settings
    ),

    // Tests with other processes: the program, databases, browsers, relays and other tools.
    // Scripts/test leaves out what is in this folder, except with --all.
    .testTarget(
      name: "PostgreSQLStorageTests",
      dependencies: [
        "EmailAddresses", "ListStorage", "Locks", "MailingList", "Monitoring",
        "PostgreSQLStorage", "SQLiteStorage", "Secrets", "Signals", "TestSupport",
      ],
      path: "Tests/System/PostgreSQLStorageTests",
      swiftSettings: settings
    ),
    .testTarget(
      name: "SMTPTests",
      dependencies: ["Delivery", "EmailAddresses", "Locks", "Signals", "TestSupport"],
      path: "Tests/System/SMTPTests", swiftSettings: settings),
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "HTTPSignals", "Locks", "MailingList", "Microhttpd", "Monitoring", "OperatorService",
        "PostgreSQLStorage", "SQLiteStorage", "Secrets", "Signals", "SignalsTesting",
        "SubscribeService", "TestSupport",
        "enlist", argumentParser, httpTypes, logging,
      ],
      path: "Tests/System/ProgramTests",
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The libraries that EnlistBenchmarks compares Signals with: only if asked for, so that no other
// build fetches or compiles them. They are not in a nested package, which could not reach modules
// with `package` access, since the contenders of a row take turns in one process.
if Context.environment["ENLIST_PEERS"] != nil {
  package.dependencies += [
    .package(url: "https://github.com/apple/swift-async-algorithms", .upToNextMinor(from: "1.1.4")),
    .package(url: "https://github.com/OpenCombine/OpenCombine", .upToNextMinor(from: "0.14.0")),
  ]
  for target in package.targets where target.name == "EnlistBenchmarks" {
    target.exclude = []
    target.dependencies += [
      .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      .product(name: "OpenCombine", package: "OpenCombine"),
    ]
    target.swiftSettings = settings + [.define("PEERS")]
  }
}
