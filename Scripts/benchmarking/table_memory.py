"""What an idle stream of the whole service takes, without and with TLS."""

import os
import subprocess

import contenders
import databases
from figures import markdown, middle
from load import IdleStreamsWithTLS, OpenStreams


def measure(run):
    """Gives the table."""
    count = max(run.streams)
    certificate, key = _make_certificate(run.folder)
    plain, encrypted = [], []
    for _ in range(run.rounds):
        path = run.seeds.copy(run.seeds.enlist)
        with contenders.enlist(run.programs, path) as server:
            before = server.resident_kib()
            with OpenStreams(run.programs, server, count):
                plain.append((server.resident_kib() - before) / count)
        with contenders.enlist_with_tls(run.programs, path, certificate, key) as server:
            before = server.resident_kib()
            with IdleStreamsWithTLS(server, certificate, count):
                encrypted.append((server.resident_kib() - before) / count)
        databases.remove(path)
        run.say(f"KiB for each stream: {plain[-1]:.2f}, with TLS {encrypted[-1]:.2f}")
    rows = [[f"{count:,} without TLS", middle(plain)], [f"{count:,} with TLS", middle(encrypted)]]
    return markdown(["streams", "KiB a stream"], rows)


def _make_certificate(folder):
    certificate, key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, stderr=subprocess.DEVNULL,
    )
    return certificate, key
