"""Memory of an idle stream: of the service without and with TLS, and of the floor."""

import os
import subprocess

import contenders
import databases
from figures import markdown, middle
from load import IdleStreamsWithTLS, OpenStreams


def measure(run):
    """Returns the table."""
    count = run.service_streams
    certificate, key = _make_certificate(run.folder)
    floor, plain, encrypted = [], [], []
    for _ in range(run.rounds):
        path = run.seeds.copy(run.seeds.enlist)
        with contenders.streams_floor(run.programs) as server:
            floor.append(_grown_kib(server, lambda: OpenStreams(run.programs, server, count)))
        with contenders.enlist(run.programs, path) as server:
            plain.append(_grown_kib(server, lambda: OpenStreams(run.programs, server, count)))
        with contenders.enlist_with_tls(run.programs, path, certificate, key) as server:
            encrypted.append(
                _grown_kib(server, lambda: IdleStreamsWithTLS(server, certificate, count))
            )
        databases.remove(path)
        run.say(f"{count} streams, KiB in total: {plain[-1]}, with TLS {encrypted[-1]}, "
                f"floor {floor[-1]}")
    rows = [
        [title, middle([kib / count for kib in side])]
        for title, side in (("without TLS", plain), ("with TLS", encrypted),
                            ("floor, without TLS", floor))
    ]
    return markdown([f"{count:,} streams", "KiB per stream"], rows)


def _grown_kib(server, open_streams):
    """Returns how much the resident memory grows while the streams are open."""
    before = server.resident_kib()
    with open_streams():
        return server.resident_kib() - before


def _make_certificate(folder):
    certificate, key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, stderr=subprocess.DEVNULL,
    )
    return certificate, key
