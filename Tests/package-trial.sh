#!/usr/bin/env bash
# Boots systemd in a copy of a Debian system, installs the package of the service there, and checks
# what docs/operating/systemd.md promises. Changes are kept in memory and disappear with the copy.
#
#   package-trial.sh PACKAGE [ROOT]         in a copy of ROOT, by default /, which has systemd,
#                                           libnss-systemd, curl, openssl, and its dependencies
#   package-trial.sh --possible [PROGRAM]   only reports whether this machine allows it
#
# Exit codes: 0 passed, 1 failed, 77 not possible here, for the reason that is printed.
set -euo pipefail

self=$(realpath "${BASH_SOURCE[0]}")

skip() {
  printf 'package-trial.sh: %s\n' "$*"
  exit 77
}

possible() { # possible [PROGRAM]
  local program error
  # The unit hides these folders, in which the toolchain of a developer may be.
  if [[ -n ${1:-} ]] && ldd "$1" | grep --quiet --extended-regexp '=> /(home|root|tmp)/'; then
    skip "$1 needs libraries in a folder that the unit hides"
  fi
  ((EUID == 0)) || skip "root is required to boot a copy of this system"
  for program in systemd-nspawn curl openssl; do
    command -v "$program" >/dev/null || skip "$program is not installed: Scripts/bootstrap all"
  done
  error=$(spawn / /bin/true 2>&1) || skip "systemd-nspawn does not work: $error"
}

# Runs a program in a copy of a system.
spawn() { # spawn ROOT ARGUMENT...
  # The folder that systemd-nspawn gets cannot be /. Without systemd here, nothing makes a unit for
  # the copy, and what systemd-nspawn writes to /run belongs in memory.
  # shellcheck disable=SC2016  # the inner shell expands the arguments
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout --signal KILL 180 \
    unshare --mount --propagation private bash -euc '
      mount -t tmpfs tmpfs /mnt
      mkdir /mnt/root
      mount --bind "$0" /mnt/root
      if [[ ! -d /run/systemd/system ]]; then
        mount -t tmpfs tmpfs /run
        set -- --keep-unit "$@"
      fi
      exec systemd-nspawn --quiet --directory /mnt/root --volatile=overlay --private-network \
        --register no --resolv-conf off --timezone off "$@"
    ' "$@"
}

# Boots the copy with a service that runs the trial, and ends with its exit code.
boot() { # boot PACKAGE ROOT
  local results status=0
  results=$(mktemp -d)
  cat >"$results/trial.service" <<'UNIT'
[Unit]
DefaultDependencies=no
Requires=sysinit.target
After=sysinit.target
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
StandardOutput=file:/results/output
StandardError=inherit
ExecStart=/bin/bash /trial.sh --trial
UNIT
  spawn "$2" --bind "$results:/results" --bind-ro "$1:/enlist.deb" --bind-ro "$self:/trial.sh" \
    --bind-ro "$results/trial.service:/etc/systemd/system/trial.service" \
    --boot -- --unit=trial.service >"$results/boot" 2>&1 </dev/null || status=$?
  cat "$results/output" || cat "$results/boot"
  rm -r "$results"
  return "$status"
}

ready() { [[ $(curl --silent --max-time 15 127.0.0.1:8080/readyz) == *'"ready"'* ]]; }
is_gone() { ! systemctl --quiet is-active "$1"; }
main_process() { systemctl show --property MainPID --value enlist.service; }
check() { # check SENTENCE COMMAND...
  if "${@:2}"; then echo "ok: $1"; else
    echo "failed: $1"
    journalctl --no-pager --unit enlist.service --lines 30
    exit 1
  fi
}

journal_has() { journalctl --no-pager --unit enlist.service --output cat | grep --quiet "$1"; }
eventually() { # eventually COMMAND...: tries for 15 seconds
  local end=$((SECONDS + 15))
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

# Changes the address, as docs/operating/systemd.md describes.
move_socket() {
  local folder=/etc/systemd/system/enlist.socket.d
  mkdir "$folder"
  cat >"$folder/trial.conf" <<'UNIT'
[Socket]
ListenStream=
ListenStream=/run/enlist.sock
SocketUser=www-data
SocketMode=0600
UNIT
  systemctl daemon-reload
}

# Gives the service a key and a credential, as docs/operating/systemd.md describes.
encrypt() {
  local folder=/etc/systemd/system/enlist.service.d
  groupadd --system enlist-keys
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
    -subj /CN=localhost -keyout /etc/enlist/key.pem -out /etc/enlist/certificate.pem 2>/dev/null
  chgrp enlist-keys /etc/enlist/key.pem
  chmod 640 /etc/enlist/key.pem
  (umask 077 && echo "Garden Letters" >/etc/enlist/name)
  cat >"$folder/trial.conf" <<'UNIT'
[Service]
SupplementaryGroups=enlist-keys
Environment=ENLIST_TLS_CERTIFICATE=/etc/enlist/certificate.pem
Environment=ENLIST_TLS_KEY=/etc/enlist/key.pem
LoadCredential=name:/etc/enlist/name
Environment=ENLIST_LIST_NAME_FILE=%d/name
UNIT
  systemctl daemon-reload
}

# Runs in the copy, as a service of its systemd.
trial() {
  local before since
  # Images for containers forbid packages to start services.
  rm --force /usr/sbin/policy-rc.d
  # The trial restarts the service more often than systemd allows by default.
  mkdir /etc/systemd/system/enlist.service.d
  printf '[Unit]\nStartLimitIntervalSec=0\n' >/etc/systemd/system/enlist.service.d/often.conf
  check "the package can be installed" dpkg --install /enlist.deb
  check "its files are as packed" dpkg --verify enlist
  check "its units are enabled" systemctl --quiet is-enabled enlist.socket enlist.service
  check "systemd understands the units" test -z \
    "$(systemd-analyze verify --man=no enlist.socket enlist.service 2>&1)"
  check "the service starts" systemctl --quiet is-active enlist.service
  check "it is ready" ready
  check "it runs as a user of its own" \
    test "$(ps -o user= -p "$(main_process)")" = enlist
  check "it has no capabilities" \
    grep --quiet '^CapBnd:[[:space:]]*0*$' "/proc/$(main_process)/status"
  check "system calls are filtered" \
    grep --quiet '^Seccomp:[[:space:]]*2$' "/proc/$(main_process)/status"
  check "a sign-up is stored" \
    curl --silent --fail --max-time 15 --output /dev/null 127.0.0.1:8080/subscribers \
    --data email=ana@example.com
  check "only its user may read the list" \
    test "$(stat --format '%a %U' /var/lib/private/enlist)" = "700 enlist"
  before=$(main_process)
  check "a reload succeeds" systemctl reload enlist.service
  check "a reload keeps the process" test "$before" = "$(main_process)"
  check "a restart succeeds" systemctl restart enlist.service
  check "the restarted service is ready" ready
  check "the list is kept" grep --quiet ana@example.com \
    <(enlist export --database sqlite:/var/lib/enlist/enlist.sqlite)
  check "the service stops" systemctl stop enlist.service
  check "a connection starts it" ready
  before=$(main_process)
  since=$(systemctl show --property ActiveEnterTimestampMonotonic enlist.socket)
  check "the package can be upgraded" dpkg --install /enlist.deb
  check "an upgrade restarts the service" test "$before" != "$(main_process)"
  check "an upgrade keeps the socket open" \
    test "$since" = "$(systemctl show --property ActiveEnterTimestampMonotonic enlist.socket)"
  check "the upgraded service is ready" ready
  move_socket
  check "the socket moves" systemctl restart enlist.socket enlist.service
  check "the service uses the moved socket" curl --silent --fail --max-time 15 \
    --output /dev/null --unix-socket /run/enlist.sock http://localhost/readyz
  check "only nginx may use it" test "$(stat --format '%a %U' /run/enlist.sock)" = "600 www-data"
  rm -r /etc/systemd/system/enlist.socket.d
  systemctl daemon-reload
  check "the socket moves back" systemctl restart enlist.socket enlist.service
  encrypt
  check "a key of the group and a credential are readable" systemctl restart enlist.service
  check "it serves HTTPS" curl --silent --fail --insecure --max-time 15 --output /dev/null \
    https://127.0.0.1:8080/readyz
  check "a reload reads the key again" systemctl reload enlist.service
  check "the certificate is reloaded" eventually journal_has "certificate reloaded"
  # libdispatch reports that threads of a user without rights cannot get a higher priority.
  check "it logs nothing unusual" test -z "$(journalctl --unit enlist.service --output cat \
    --no-pager | grep --invert-match --extended-regexp \
    ' info enlist: | warning enlist: limited to |Failed to set thread priority|^listening on |^(Starting|Started|Stopping|Stopped|Reloading|Reloaded|Deactivated|enlist.service: )')"
  check "the package can be removed" dpkg --remove enlist
  check "a removal stops the service" is_gone enlist.service
  check "a removal closes the socket" is_gone enlist.socket
  check "the settings survive the removal" test -s /etc/enlist/enlist.conf
  check "the package can be purged" dpkg --purge enlist
  check "the list survives everything" test -s /var/lib/private/enlist/enlist.sqlite
  echo "passed"
}

case ${1:-} in
  --possible) possible "${2:-}" ;;
  --trial) trial ;;
  "" | -*)
    echo "usage: package-trial.sh PACKAGE [ROOT] | --possible [PROGRAM]" >&2
    exit 64
    ;;
  *)
    possible
    boot "$(realpath "$1")" "$(realpath "${2:-/}")"
    ;;
esac
