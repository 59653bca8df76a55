#!/usr/bin/env bash
# Installs a Debian package of the service in a copy of this system, boots systemd there, and checks
# that the service runs under it. Changes are kept in memory and disappear with the copy.
#
#   Scripts/checks/package.sh PACKAGE
#   Scripts/checks/package.sh --possible [PROGRAM]   only reports whether this machine allows it
#
# Exit codes: 0 passed, 1 failed, 77 not possible here, for the reason that is printed.
set -euo pipefail

self=$(realpath "${BASH_SOURCE[0]}")

skip() {
  printf 'package.sh: %s\n' "$*"
  exit 77
}

possible() { # possible [PROGRAM]
  local program
  # The unit hides these folders, in which the toolchain of a developer may be.
  if [[ -n ${1:-} ]] && ldd "$1" | grep --quiet --extended-regexp '=> /(home|root|tmp)/'; then
    skip "$1 needs libraries in a folder that the unit hides"
  fi
  ((EUID == 0)) || skip "root is required to boot a copy of this system"
  [[ -x /lib/systemd/systemd ]] || skip "systemd is not installed"
  for program in unshare pivot_root curl dpkg-deb ip openssl; do
    command -v "$program" >/dev/null || skip "$program is not installed"
  done
  # shellcheck disable=SC2016  # the inner shell expands $PPID
  unshare --mount --pid --fork --cgroup --net --ipc --uts --propagation private bash -c '
    set -e
    mount -t tmpfs tmpfs /mnt && mkdir /mnt/{lower,upper,work,all,groups}
    mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work all /mnt/all
    mount -t cgroup2 groups /mnt/groups
    mkdir "/mnt/groups/enlist-probe-$PPID" && rmdir "/mnt/groups/enlist-probe-$PPID"
  ' 2>/dev/null || skip "namespaces, overlay file systems or control groups are not permitted"
}

# A group of its own, so that the systemd of the copy and that of this machine do not meet.
enclose() { # enclose PACKAGE RESULTS
  local work group before status=0
  before=$(sed -n 's/^0:://p' /proc/self/cgroup)
  work=$(mktemp -d)
  mount -t tmpfs tmpfs "$work"
  mkdir "$work"/{upper,work,root,groups}
  mount -t cgroup2 groups "$work/groups"
  group=$work/groups$before/enlist-test-$$
  mkdir "$group"
  echo $$ >"$group/cgroup.procs"
  timeout --signal KILL 120 unshare --mount --pid --fork --kill-child --cgroup --net --ipc --uts \
    --propagation private bash "$self" --boot "$1" "$2" "$work" >"$2/boot" 2>&1 || status=$?
  echo $$ >"$work/groups$before/cgroup.procs"
  find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
  umount --lazy "$work"
  rmdir "$work"
  return "$status"
}

boot() { # boot PACKAGE RESULTS WORK
  local device root=$3/root
  mount -t overlay -o "lowerdir=/,upperdir=$3/upper,workdir=$3/work" overlay "$root"
  mkdir "$root/results"
  mount --bind "$2" "$root/results"
  cp "$1" "$root/enlist.deb"
  cp "$self" "$root/package.sh"
  cd "$root"
  mount -t proc proc proc
  mount -t sysfs sysfs sys
  mount -t cgroup2 groups sys/fs/cgroup
  mount -t tmpfs tmpfs run
  mount -t tmpfs tmpfs tmp
  mount -t tmpfs tmpfs dev
  mkdir dev/shm dev/pts
  for device in null zero full random urandom tty; do
    touch "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
  done
  mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
  touch dev/ptmx
  mount --bind dev/pts/ptmx dev/ptmx
  ip link set lo up

  chroot . env DEBIAN_FRONTEND=noninteractive dpkg --install /enlist.deb
  [[ -L etc/systemd/system/sockets.target.wants/enlist.socket ]]
  [[ -L etc/systemd/system/multi-user.target.wants/enlist.service ]]
  chroot . dpkg --verify enlist
  # Only the units of the package are started.
  rm -f etc/systemd/system/*.wants/*
  cat >etc/systemd/system/trial.target <<'UNIT'
[Unit]
Wants=enlist.socket enlist.service trial.service
After=enlist.service
DefaultDependencies=no
UNIT
  cat >etc/systemd/system/trial.service <<'UNIT'
[Unit]
After=enlist.socket enlist.service
DefaultDependencies=no
[Service]
Type=oneshot
StandardOutput=file:/results/output
StandardError=inherit
ExecStart=/bin/bash /package.sh --trial
ExecStopPost=/bin/systemctl exit
UNIT
  mkdir before
  pivot_root . before
  cd /
  umount --lazy /before
  mount --make-rshared /
  exec env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin container=other \
    /lib/systemd/systemd --system --unit=trial.target --log-level=info --show-status=no
}

ready() { [[ $(curl --silent --max-time 15 127.0.0.1:8080/readyz) == *'"ready"'* ]]; }
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
  mkdir "$folder"
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
  local before
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
  check "the package can be removed" dpkg --purge enlist
  check "the list survives the removal" test -s /var/lib/private/enlist/enlist.sqlite
  echo "passed"
}

case ${1:-} in
  --possible) possible "${2:-}" ;;
  --enclose) enclose "$2" "$3" ;;
  --boot) boot "$2" "$3" "$4" ;;
  --trial) trial ;;
  "" | -*)
    echo "usage: package.sh PACKAGE | --possible [PROGRAM]" >&2
    exit 64
    ;;
  *)
    possible
    package=$(realpath "$1")
    results=$(mktemp -d)
    trap 'rm -rf "$results"' EXIT
    status=0
    unshare --mount --propagation private bash "$self" --enclose "$package" "$results" || status=$?
    cat "$results/output" 2>/dev/null || true
    if ! grep --quiet '^passed$' "$results/output" 2>/dev/null; then
      echo "package.sh: the trial ended with $status"
      cat "$results/boot"
      exit 1
    fi
    ;;
esac
