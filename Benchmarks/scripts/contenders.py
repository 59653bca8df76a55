"""Starts each contender."""

from server import Server

# Limits that protect the service from clients, and that a single load generator would exceed.
NO_LIMITS = ["--signup-rate", "off", "--max-streams", "19000"]

# A sign-up every half millisecond is more than two cores can deliver to ten thousand streams: a stream
# that falls behind by more than the history would be closed in the middle of a run.
LONG_HISTORY = ["--stream-history", "100000"]

# Mail needs it, and then the service checks the host of each request.
PUBLIC_URL = ["--public-url", "http://127.0.0.1:{port}"]


def enlist(programs, database, environment=None, settings=(), name="enlist"):
    """The service with a database, the path of a file or the URL of a server.

    `{port}` in the settings stands for the port.
    """
    location = database if "://" in database else f"sqlite:{database}"
    return Server(
        name,
        lambda port: [programs.enlist, "serve", "--listen", f"127.0.0.1:{port}",
                      "--database", location, *NO_LIMITS,
                      *(setting.format(port=port) for setting in settings)],
        environment=environment,
    )


def enlist_with_mail(programs, database, relay, environment=None):
    """The service with a database and double opt-in, which sends its mail to a relay."""
    settings = [*PUBLIC_URL, "--mail-from", "list@example.com",
                "--smtp-url", f"smtp://127.0.0.1:{relay.port}", "--smtp-tls", "off",
                # In force, but never spent.
                "--mail-budget", "1000000/1d", "--mail-budget-per-domain", "1000000/1d"]
    return enlist(programs, database, environment, settings, f"enlist, {relay.name}")


def enlist_with_tls(programs, database, certificate, key):
    """The service with a database, over HTTPS."""
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
    """Direct responses in C."""
    return Server("HTTPFloor direct", lambda port: [programs.floor, "direct", str(port)])


def sign_up_floor(programs, database, environment=None):
    """The whole sign-up in C, with a database, the path of a file or the URL of a server."""
    return Server(
        "HTTPFloor sign-up",
        lambda port: [programs.floor, "sign-up", str(port), database],
        environment=environment,
    )


def sign_up_floor_with_outbox(programs, database, environment=None):
    """The whole sign-up with double opt-in in C, with a database that the service has made."""
    return Server(
        "HTTPFloor sign-up --outbox",
        lambda port: [programs.floor, "sign-up", str(port), database, "--outbox"],
        environment=environment,
    )


def streams_floor(programs):
    """Event streams in C."""
    return Server("HTTPFloor streams", lambda port: [programs.floor, "streams", str(port)])
