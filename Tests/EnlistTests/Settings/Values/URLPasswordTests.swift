import Testing

@testable import enlist

/// Every value with a password contains `secret`.
@Suite struct URLPasswordTests {
  @Test(
    arguments: [
      ("postgres://user:secret@host/list", "postgres://user:***@host/list"),
      (
        "postgres://user:secret@host:5432/list?sslmode=require",
        "postgres://user:***@host:5432/list?sslmode=require"
      ),
      ("postgres://:secret@host", "postgres://:***@host"),
      ("postgres://user:@host", "postgres://user:***@host"),
      ("https://user:secret@[2001:db8::1]:80/", "https://user:***@[2001:db8::1]:80/"),
    ]
  )
  func `the password of a URL is hidden`(_ value: String, _ shown: String) {
    #expect(URLPassword.hidden(in: value) == shown)
  }

  @Test(
    arguments: [
      "postgres://u:p@secret@h", "postgres://u:sec%72et-secret%40@h",
      "postgres://u:a/secret@h/list",
      "postgres://u:secret?x@h", "postgres://u:secret#x@h", "postgres://u:a:secret@h",
      "postgres://u:secret@h,i:secret@j", "postgres://u:secret@", "postgres://u:secret @h",
      "postgres:u:secret@h", "postgres:/u:secret@h", "postgres//u:secret@h", "//u:secret@h",
      "u:secret@h", "postgres://u%3Asecret@h", "postgres://u%3asecret@h", "://u:secret@h",
      "sqlite://u:secret@h", "POSTGRES://U:secret@H", "postgres://u:a://secret@h",
      "postgres://ü:secret@h", "postgres://u:secret\u{301}@h", "postgres://u:secret\r\n@h",
      "https://a.example,https://u:secret@b.example", "postgres://h/list?user=u&password=secret",
      "postgres://h/list?password=secret&user=u&sslpassword=secret",
      "postgres://h/?PASSWORD=secret",
      "postgres://u:secret@h/?password=secret", "host=h password=secret user=u",
      "host=h password='a secret' user=u", "postgres://h/?password=a%26secret",
      "postgres://h/?password=secret@h",
    ]
  )
  func `a password is hidden even if the value is not a valid URL`(_ value: String) {
    let shown = URLPassword.hidden(in: value)
    #expect(!shown.contains("secret"), "\(shown)")
    #expect(shown.contains("***"))
    let error = SettingError(setting: "--database", value: value, reason: "no")
    #expect(!error.description.contains("secret"))
  }

  @Test(
    arguments: [
      "", "@", ":", "://", "://@", "sqlite:enlist.sqlite", "sqlite:/srv/enlist@a/list.sqlite",
      "sqlite:/srv/a:b@c", "unix:/run/enlist@a:b.sock", "127.0.0.1:8080", "[::1]:8080",
      "postgres://user@host/list", "postgres://host:5432/list", "https://example.org:8443",
      "https://example.com,https://*.example.org", "10.0.0.0/8,2001:db8::7,unix", "30/10m",
    ]
  )
  func `a value without a password is shown unchanged`(_ value: String) {
    #expect(URLPassword.hidden(in: value) == value)
  }

  @Test func `a long value is truncated after its password is hidden`() {
    let value = "postgres://u:\(String(repeating: "secret", count: 30))@h"
    let error = SettingError(setting: "--database", value: value, reason: "no")
    #expect(error.description == #"invalid value "postgres://u:***@h" for --database: no"#)
  }
}
