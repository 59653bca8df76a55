#!/usr/bin/env python3
"""An SMTP relay for tests, on aiosmtpd: prints what it sees as JSON lines, one event per line.

It listens on a free port of 127.0.0.1 and prints {"event": "listening", "port": ...} first. A Unix
signal ends it.

The local part of a recipient scripts the relay:

  reject.550          550 5.1.1 to RCPT; reject.550.5.7.1 has that enhanced status, reject.550.0 none
  busy.451            451 4.3.2 to RCPT, or another status, also with an enhanced one as above
  sender.550          550 5.1.8 to RCPT: the sender's address is rejected
  grey                451 4.7.1 to the first RCPT, 250 to later ones
  slow.500            250 to the text after 500 ms
  close               421 4.3.2 to RCPT, and closes the connection
  datareject.552      552 5.3.4 to the text, or another status as above
  command.554         554 5.3.0 to DATA, or another status as above
  droprcpt, dropdata, dropend     closes the connection instead of a reply to RCPT, DATA, the text
  hangrcpt, hangdata, hangend     never replies to RCPT, DATA, the text
  hangquit.550        550 5.1.1 to RCPT, then never replies to QUIT
  goodbye, vanish     accepts the mail, then closes the connection, with and without 421

`--reply STEP=LINE` replies LINE at a step of every connection: greeting, ehlo, auth, mail, rcpt,
data, end (the reply to the text); with `drop` it closes the connection, with `hang` it never
replies.

`--mails FILE` writes the received mails, decoded, to a file.
`--away` binds the port, but refuses connections until SIGUSR1.

`--hostile KIND` is a relay that does not keep to the protocol, and prints each command:

  drip        the greeting byte by byte, without an end
  flood       a greeting of lines without an end
  line        a greeting of one line without an end
  injection   replies to commands that it has not got yet along with the reply to STARTTLS
  nostarttls  454 to STARTTLS, which it offers
  noehlo      500 to EHLO, and 250 to HELO
  binary      550 to RCPT, with controls, null bytes and the address in a text of many lines
  double      two replies to each command
"""

import argparse
import asyncio
import email
import email.policy
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import warnings

try:
    from aiosmtpd.smtp import SMTP, AuthResult
except ImportError:
    sys.exit("relay.py: aiosmtpd is not installed; Scripts/bootstrap all installs it")

ENHANCED = {"busy": "3.2", "reject": "1.1", "sender": "1.8", "datareject": "3.4",
            "command": "3.0", "hangquit": "1.1"}
STEPS = ("greeting", "ehlo", "auth", "mail", "rcpt", "data", "end")


# aiosmtpd warns about AUTH without TLS, which tests need.
warnings.simplefilter("ignore")

# The file of --mails.
mails = None


def show(event, **fields):
    print(json.dumps({"event": event} | fields), flush=True)


def keep(recipients, content):
    """Writes a mail to the file of --mails, before the reply to its text."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    text = message.get_body(("plain",)) or message
    fields = {name: message.get(name, "") for name in
              ("Message-ID", "Reply-To", "List-Unsubscribe", "List-Unsubscribe-Post")}
    mail = {"recipients": recipients, "fields": fields,
            "text": text.get_content().replace("\r\n", "\n")}
    print(json.dumps(mail), file=mails, flush=True)


def make_certificates(folder):
    """Makes ca.pem, other-ca.pem, and good.pem and wrong-name.pem, which the first one issued."""

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("ca", "other-ca"):
        openssl("req", "-x509", *curve, "-keyout", f"{name}.key", "-out", f"{name}.pem",
                "-days", "2", "-subj", f"/CN=Relay Test {name}",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    names = {"good": "DNS:localhost,IP:127.0.0.1", "wrong-name": "DNS:relay.invalid"}
    for name, alternatives in names.items():
        openssl("req", *curve, "-keyout", f"{name}.key", "-out", f"{name}.csr",
                "-subj", f"/CN={name}")
        with open(os.path.join(folder, f"{name}.ext"), "w", encoding="utf-8") as file:
            file.write(f"subjectAltName={alternatives}\nextendedKeyUsage=serverAuth\n"
                       "basicConstraints=critical,CA:FALSE\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-days", "2", "-out", f"{name}.pem", "-extfile", f"{name}.ext")


class Handler:
    """The replies, which depend on the options and on the recipient's local part."""

    def __init__(self, options):
        self.options = options
        self.greylisted = set()

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        show("ehlo", connection=server.number, name=hostname, tls=session.ssl is not None)
        if await server.scripted_step("ehlo"):
            return []
        # aiosmtpd offers AUTH without mechanisms to relays that do not authenticate.
        return [line for line in responses if self.options.user or "-AUTH" not in line]

    async def handle_MAIL(self, server, session, envelope, address, mail_options):
        show("mail", connection=server.number, address=address, options=mail_options)
        if await server.scripted_step("mail"):
            return ""
        envelope.mail_from = address
        envelope.mail_options.extend(mail_options)
        return "250 2.1.0 OK"

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        show("rcpt", connection=server.number, address=address)
        kind, status, enhanced = script(address)
        server.script = (kind, status, enhanced)
        if kind in ("reject", "busy", "sender", "hangquit"):
            # Like Postfix, the text repeats the address, which must not reach a log.
            return f"{status} {enhanced}<{address}>: Recipient address rejected"
        if kind == "grey" and address not in self.greylisted:
            self.greylisted.add(address)
            return f"451 4.7.1 <{address}>: Greylisted, please try again later"
        if kind == "close":
            await server.push("421 4.3.2 Service shutting down")
            server.drop()
            return ""
        if await server.scripted("rcpt"):
            return ""
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(rcpt_options)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        content = envelope.original_content
        show("text", connection=server.number, recipients=envelope.rcpt_tos,
             size=len(content), message=content.decode("utf-8", "backslashreplace"))
        if mails is not None:
            keep(envelope.rcpt_tos, content)
        kind, status, enhanced = server.script
        if kind == "datareject":
            return f"{status} {enhanced}Message rejected"
        if kind == "slow":
            await asyncio.sleep(int(status or "0") / 1000)
        if await server.scripted("end"):
            return ""
        if kind in ("goodbye", "vanish"):
            asyncio.get_running_loop().create_task(server.leave(kind == "goodbye"))
        return "250 2.0.0 OK: queued"

    async def handle_NOOP(self, server, session, envelope, argument):
        show("noop", connection=server.number)
        return "250 2.0.0 OK"

    async def handle_QUIT(self, server, session, envelope):
        show("quit", connection=server.number)
        if server.script[0] == "hangquit":
            await server.hang()
        return "221 2.0.0 Bye"


def script(address):
    """The kind, status and enhanced status (with a space after it) in a recipient's local part."""
    local = address.rpartition("@")[0].strip('"')
    kind, _, rest = local.partition(".")
    status, _, enhanced = rest.partition(".")
    # What follows the zero only makes the local part unusual.
    if enhanced.partition(".")[0] == "0":
        return kind, status, ""
    enhanced = enhanced or f"{status[:1]}.{ENHANCED.get(kind, '0.0')}"
    return kind, status, f"{enhanced} "


class Relay(SMTP):
    """One connection."""

    count = 0

    def __init__(self, handler, options, **arguments):
        Relay.count += 1
        self.number = Relay.count
        self.options = options
        self.script = ("", "", "")
        super().__init__(handler, **arguments)

    def connection_made(self, transport):
        is_upgrade = self._original_transport is not None
        if is_upgrade or transport.get_extra_info("sslcontext"):
            show("tls", connection=self.number)
        if not is_upgrade:
            show("connect", connection=self.number)
        super().connection_made(transport)

    def connection_lost(self, error):
        show("close", connection=self.number)
        super().connection_lost(error)

    def drop(self):
        if self.transport is not None:
            self.transport.close()

    async def leave(self, politely):
        """Ends the connection as a relay does that has been idle for too long."""
        await asyncio.sleep(0.05)
        if politely:
            await self.push("421 4.4.2 Idle for too long")
        self.drop()

    async def hang(self):
        show("hang", connection=self.number)
        try:
            await asyncio.Event().wait()
        finally:
            # aiosmtpd does not close a connection that the client closes before the greeting.
            self.drop()

    async def scripted(self, step):
        """Drops the connection or hangs where the recipient's local part or the options say so."""
        if self.script[0] == f"drop{step}":
            self.drop()
            return True
        if self.script[0] == f"hang{step}":
            await self.hang()
        return await self.scripted_step(step)

    async def scripted_step(self, step):
        """Replies as the options say at a step of every connection."""
        line = self.options.replies.get(step)
        if line is None:
            return False
        if line == "hang":
            await self.hang()
        if line == "drop":
            self.drop()
        else:
            await self.push(line)
        return True

    async def push(self, status):
        # An empty status means that the reply was sent, or that the connection is closed.
        text = status.decode("utf-8") if isinstance(status, bytes) else status
        if not text:
            return
        if self.options.delay:
            await asyncio.sleep(self.options.delay / 1000)
        if text.startswith("220 ") and self.session.host_name is None and not self.has_greeted:
            self.has_greeted = True
            if await self.scripted_step("greeting"):
                return
        await super().push(status)

    has_greeted = False

    async def smtp_DATA(self, argument):
        show("data", connection=self.number)
        if await self.scripted("data"):
            return
        kind, status, enhanced = self.script
        if kind == "command":
            await self.push(f"{status} {enhanced}DATA rejected")
            return
        await super().smtp_DATA(argument)

    async def smtp_AUTH(self, argument):
        show("auth", connection=self.number, mechanism=argument.split(" ")[0])
        if await self.scripted_step("auth"):
            return
        await super().smtp_AUTH(argument)

    async def smtp_STARTTLS(self, argument):
        show("starttls", connection=self.number)
        await super().smtp_STARTTLS(argument)


class NTLMRelay(Relay):
    """A relay that also offers NTLM, which it never accepts."""

    async def auth_NTLM(self, server, arguments):
        await self.push("535 5.7.8 Authentication failed")
        return AuthResult(success=False, handled=True)


async def send_without_end(writer, kind):
    """Sends a greeting that does not end."""
    writer.write(b"220-hello\r\n" if kind == "flood" else b"220 ")
    while True:
        writer.write({"drip": b"x", "line": b"x" * 8192}.get(kind, b"220-hello\r\n" * 64))
        await writer.drain()
        await asyncio.sleep(0.1 if kind == "drip" else 0.002)


def hostile_reply(kind, verb, line):
    """The bytes that a hostile relay sends after a command."""
    replies = {"EHLO": b"250-relay.test\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n",
               "STARTTLS": b"220 Go ahead\r\n", "AUTH": b"235 OK\r\n",
               "DATA": b"354 Go ahead\r\n", "QUIT": b"221 Bye\r\n"}
    reply = replies.get(verb, b"250 OK\r\n")
    if (kind, verb) == ("injection", "STARTTLS"):
        return reply + replies["EHLO"] + b"250 OK\r\n" * 8
    if (kind, verb) == ("nostarttls", "STARTTLS"):
        return b"454 4.7.0 TLS is not available\r\n"
    if (kind, verb) == ("noehlo", "EHLO"):
        return b"500 5.5.1 Unknown command\r\n"
    if (kind, verb) == ("binary", "RCPT"):
        noise = line[8:].strip() + b"\0\x1b[2J\xff\r\x07"
        lines = (b"550-5.1.1 " + noise, b"550-" + noise * 100, b"550 5.1.1 " + noise, b"")
        return b"\r\n".join(lines)
    if (kind, verb) == ("goodbye", "."):
        return reply + replies["QUIT"]
    return reply * 2 if kind == "double" else reply


async def serve_hostile(kind, reader, writer):
    """Serves one connection of a relay that does not keep to the protocol."""
    show("connect")
    try:
        if kind in ("drip", "flood", "line"):
            await send_without_end(writer, kind)
        writer.write(b"220 relay.test ESMTP\r\n")
        is_text = False
        while line := await reader.readline():
            if is_text:
                if line != b".\r\n":
                    continue
                is_text, verb = False, "."
            else:
                verb = line.split()[0].decode("ascii", "replace").upper() if line.split() else ""
            show("command", name=verb)
            is_text = verb == "DATA"
            writer.write(hostile_reply(kind, verb, line))
            await writer.drain()
    except (ConnectionError, ValueError, asyncio.CancelledError):
        pass
    show("close")
    writer.close()


def make_relay(options, handler, context):
    def authenticate(server, session, envelope, mechanism, data):
        is_right = (data.login, data.password) == (options.user.encode(), options.password.encode())
        show("login", connection=server.number, mechanism=mechanism, success=is_right)
        # Not handled: aiosmtpd sends the reply, 235 or 535.
        return AuthResult(success=is_right, handled=False)

    return (NTLMRelay if options.ntlm else Relay)(
        handler,
        options,
        hostname="relay.test",
        ident="ESMTP",
        enable_SMTPUTF8=not options.no_smtputf8,
        data_size_limit=options.size,
        # A client must not meet the relay's own limit.
        timeout=3600,
        tls_context=context if options.tls == "starttls" else None,
        authenticator=authenticate if options.user is not None else None,
        auth_required=options.user is not None,
        auth_require_tls=False,
        auth_exclude_mechanism=("PLAIN",) if options.login_only else (),
    )


async def serve(options):
    context = None
    if options.tls != "none":
        if not os.path.exists(os.path.join(options.certificates, "good.pem")):
            make_certificates(options.certificates)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        path = os.path.join(options.certificates, options.certificate)
        context.load_cert_chain(f"{path}.pem", f"{path}.key")
    handler = Handler(options)
    loop = asyncio.get_running_loop()
    ended, returned = asyncio.Event(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: (ended.set(), returned.set()))
    loop.add_signal_handler(signal.SIGUSR1, returned.set)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    if options.away:
        # No other process gets the port, and connections are refused.
        show("listening", port=listener.getsockname()[1])
        await returned.wait()
    if options.hostile:
        server = await asyncio.start_server(
            lambda reader, writer: serve_hostile(options.hostile, reader, writer),
            sock=listener,
        )
    else:
        server = await loop.create_server(
            lambda: make_relay(options, handler, context),
            sock=listener,
            ssl=context if options.tls == "smtps" else None,
        )
    if not options.away:
        show("listening", port=listener.getsockname()[1])
    await ended.wait()
    server.close()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tls", choices=("none", "starttls", "smtps"), default="none")
    parser.add_argument("--certificates", metavar="DIR",
                        help="the folder of ca.pem and the certificates, made when missing")
    parser.add_argument("--certificate", choices=("good", "wrong-name"), default="good")
    parser.add_argument("--user", help="requires AUTH, with this name and --password")
    parser.add_argument("--password", default="")
    parser.add_argument("--login-only", action="store_true", help="does not offer AUTH PLAIN")
    parser.add_argument("--ntlm", action="store_true", help="offers AUTH NTLM as well")
    parser.add_argument("--no-smtputf8", action="store_true")
    parser.add_argument("--size", type=int, default=1 << 20, help="the largest mail, in bytes")
    parser.add_argument("--delay", type=int, default=0, help="before each reply, in milliseconds")
    parser.add_argument("--reply", action="append", default=[], metavar="STEP=LINE")
    parser.add_argument("--mails", metavar="FILE", help="where received mails are written")
    parser.add_argument("--away", action="store_true", help="refuses connections until SIGUSR1")
    parser.add_argument("--hostile", choices=("drip", "flood", "line", "injection", "nostarttls",
                                              "noehlo", "binary", "double", "goodbye"))
    parser.add_argument("--make-certificates", metavar="DIR", help="makes them, and ends")
    options = parser.parse_args()
    options.replies = dict(reply.split("=", 1) for reply in options.reply)
    if unknown := options.replies.keys() - set(STEPS):
        parser.error(f"--reply: unknown step {', '.join(sorted(unknown))}")
    if options.tls != "none" and options.certificates is None:
        parser.error("--tls requires --certificates")
    return options


if __name__ == "__main__":
    arguments = parse_arguments()
    if arguments.make_certificates:
        make_certificates(arguments.make_certificates)
    else:
        if arguments.mails:
            mails = open(arguments.mails, "a", encoding="utf-8")
        asyncio.run(serve(arguments))
