"""How each contender is started."""

from server import Server

# What a visitor of the internet may not do, and one machine must do here.
NO_LIMITS = ["--signup-rate", "off", "--max-streams", "19000"]

# A sign-up every half millisecond is more than ten thousand streams can be told on two cores: who has
# fallen behind by more than the history would be cut in the middle of a run.
LONG_HISTORY = ["--stream-history", "100000"]


def enlist(programs, database, environment=None, settings=()):
    """The service itself on a database."""
    return Server(
        "enlist",
        lambda port: [programs.enlist, "serve", "--listen", f"127.0.0.1:{port}",
                      "--database", f"sqlite:{database}", *NO_LIMITS, *settings],
        environment=environment,
    )


def enlist_with_tls(programs, database, certificate, key):
    """The service itself, speaking HTTPS."""
    return Server(
        "enlist with TLS",
        lambda port: [programs.enlist, "serve", "--listen", f"127.0.0.1:{port}",
                      "--database", f"sqlite:{database}", *NO_LIMITS,
                      "--tls-certificate", certificate, "--tls-key", key],
        certificate=certificate,
    )


def enlist_streams(programs):
    """The service's event streams without its store."""
    return Server(
        "EnlistBenchmarks stream-server",
        lambda port: [programs.benchmarks, "stream-server", "--port", str(port)],
        health="/healthz",
    )


def direct_floor(programs):
    """Requests in C."""
    return Server("HTTPFloor direct", lambda port: [programs.floor, "direct", str(port)])


def sign_up_floor(programs, database, environment=None):
    """The whole sign-up in C, on a database."""
    return Server(
        "HTTPFloor sign-up",
        lambda port: [programs.floor, "sign-up", str(port), database],
        environment=environment,
    )


def streams_floor(programs):
    """Event streams in C."""
    return Server("HTTPFloor streams", lambda port: [programs.floor, "streams", str(port)])
