#!/usr/bin/env bash
# Tests the programs in this folder: each reports a planted case and accepts a tree without one.
set -euo pipefail

checks=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect CODE TEXT PROGRAM ARGUMENT...: the exit code, and a text in the output ("" for no output)
expect() {
  local code=$1 text=$2 program=$3 output result=0
  shift 3
  output=$(python3 -B "$checks/$program" "$@" 2>&1) || result=$?
  if ((result != code)) || [[ $output != *"$text"* || (-z $text && -n $output) ]]; then
    printf 'checks: %s %s: exit code %s instead of %s, output: %s\n' \
      "$program" "$*" "$result" "$code" "$output" >&2
    failures=$((failures + 1))
  fi
}

# words.py
cat >"$folder/Good.swift" <<'SWIFT'
// "A verdict" in a comment line, and judge() outside of a literal.
let rule = judge("There is no address, and it is no longer \(told(of: 1)) needed")
SWIFT
echo 'let message = "The client is told \(why)"' >"$folder/Bad.swift"
cat >"$folder/Lines.swift" <<'SWIFT'
let text = """
  Whoever signs up
  """
SWIFT
echo 'The request is validated.' >"$folder/good.md"
echo 'This is no address.' >"$folder/bad.md"
echo '{"detail": "An address has at most 254 octets."}' >"$folder/bad.json"
expect 0 '' words.py "$folder/Good.swift" "$folder/good.md"
expect 1 'told' words.py "$folder/Bad.swift"
expect 1 'Whoever' words.py "$folder/Lines.swift"
expect 1 'is no address' words.py "$folder/good.md" "$folder/bad.md"
expect 1 'octets' words.py "$folder/bad.json"
expect 2 'usage' words.py

# circles.py: A, B and C form a circle; D uses A, but A uses D in a comment and a string only.
mkdir -p "$folder/Sources/Module/Folder" "$folder/Sources/Other"
echo 'struct A { let next: B? }' >"$folder/Sources/Module/A.swift"
echo 'package final class B { var next: C? }' >"$folder/Sources/Module/B.swift"
echo 'func c(_ start: A) {}; typealias Unused = Int' >"$folder/Sources/Module/Folder/c.swift"
echo 'enum C { case a(A) }' >"$folder/Sources/Module/Folder/C.swift"
echo 'struct D { let a: A }' >"$folder/Sources/Module/D.swift"
echo 'let text = "D"  // D' >>"$folder/Sources/Module/A.swift"
echo 'struct A {}' >"$folder/Sources/Other/A.swift"
expect 1 'Module: 3 files depend on each other: A B C' circles.py "$folder/Sources" 2
expect 0 '' circles.py "$folder/Sources" 3
expect 2 'usage' circles.py "$folder/Sources"

# suites.py: a limit of the suite or of each test is enough; a suite without sockets needs none. A suite
# that is alone is named like its file.
mkdir -p "$folder/Tests/Module"
cat >"$folder/Tests/Module/LimitedTests.swift" <<'SWIFT'
@Suite(
  .alone,
  .timeLimit(.minutes(2))
)
struct LimitedTests {
  @Test func `connects`() throws { try SocketClient(port: 1) }
}
SWIFT
cat >"$folder/Tests/Module/EachTests.swift" <<'SWIFT'
@Suite struct EachTests {
  @Test(.timeLimit(.minutes(1))) func `connects`() throws { try SocketClient(port: 1) }
}
SWIFT
# shellcheck disable=SC2016  # Swift
echo '@Suite struct PureTests { @Test func `adds`() {} }' >"$folder/Tests/Module/PureTests.swift"
expect 0 '' suites.py "$folder/Tests"
sed '2s/(.*)) func/ func/' "$folder/Tests/Module/EachTests.swift" \
  >"$folder/Tests/Module/UnlimitedTests.swift"
expect 1 'UnlimitedTests.swift: the suite uses SocketClient' suites.py "$folder/Tests"
rm "$folder/Tests/Module/UnlimitedTests.swift"
echo '@Suite(.alone) struct OtherTests {}' >"$folder/Tests/Module/AloneTests.swift"
expect 1 'AloneTests.swift: the suite OtherTests is .alone' suites.py "$folder/Tests"
expect 2 'usage' suites.py

# only.py: a pattern in another module, and one that its own module no longer has.
mkdir -p "$folder/Modules/Owner/Folder" "$folder/Modules/User"
echo 'internal import CLibrary' >"$folder/Modules/Owner/Folder/Owner.swift"
echo 'internal import Owner' >"$folder/Modules/User/User.swift"
expect 0 '' only.py "$folder/Modules" Owner 'import CLibrary'
echo 'internal import CLibrary' >"$folder/Modules/User/Planted.swift"
expect 1 "Planted.swift: only Owner may use 'import CLibrary'" \
  only.py "$folder/Modules" Owner 'import CLibrary'
expect 1 'Owner does not use' only.py "$folder/Modules" Owner 'import Gone'
expect 2 'usage' only.py "$folder/Modules" Owner

# spine.py: a file and a type that do not exist, and a page without a table.
mkdir -p "$folder/Sources/House/Rooms"
echo 'final class Hall {}' >"$folder/Sources/House/Rooms/Hall.swift"
# shellcheck disable=SC2016  # Markdown
printf '  participant Hall\n| `House/Rooms/Hall` | the way | |\n' >"$folder/life.md"
expect 0 '' spine.py "$folder/life.md" "$folder/Sources"
expect 1 'no table names a file' spine.py /dev/null "$folder/Sources"
sed 's/Rooms/Gone/; s/participant Hall/participant Attic/' "$folder/life.md" >"$folder/other.md"
expect 1 'House/Gone/Hall.swift does not exist' spine.py "$folder/other.md" "$folder/Sources"
expect 1 'the type Attic does not exist' spine.py "$folder/other.md" "$folder/Sources"
expect 2 'usage' spine.py "$folder/life.md"

# addresses.py: a program that prints nothing, and one that prints each line that it reads.
printf '#!/bin/sh\nexec cat\n' >"$folder/echo"
chmod +x "$folder/echo"
expect 1 'a program has ended early' addresses.py "$(command -v true)" "$folder/echo"
expect 2 'usage' addresses.py "$folder/echo"

if ((failures)); then
  printf 'checks: %d tests failed\n' "$failures" >&2
  exit 1
fi
echo 'checks: words.py, circles.py, suites.py, only.py, spine.py and addresses.py find the planted cases'
