"""manage.py serve [--host HOST] [--port PORT]"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

GRACE_SECONDS = 15


class Command(BaseCommand):
    help = "Load the demo, start the web server and a worker, stop both on Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        _require_free(host, port)
        call_command("demo", stdout=self.stdout, stderr=self.stderr)
        # SIGINT as well: a shell that starts us in the background has it ignored.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _interrupt)
        children = [_start_web(host, port), _start_worker()]
        try:
            shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared, not bound
            _wait_until_up(f"http://{shown}:{port}/health/", children)
            self.stdout.write(f"\nOpen http://{shown}:{port}/   (Ctrl-C stops it)\n")
            while all(child.poll() is None for child in children):
                time.sleep(0.5)
            raise CommandError("The web server or the worker has stopped by itself; see its message above.")
        except KeyboardInterrupt:
            self.stdout.write("\nStopping.")
        finally:
            _stop(children)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _require_free(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"{host}:{port} cannot be used: {error.strerror}. Try another port: make run PORT={port + 1}"
            ) from None


def _start_web(host: str, port: int) -> subprocess.Popen[bytes]:
    environment = dict(os.environ)
    if "ALLOWED_HOSTS" not in environment:
        names = {*settings.LOOPBACK_HOSTS, host, socket.gethostname(), *_own_addresses()}
        environment["ALLOWED_HOSTS"] = ",".join(sorted(names))
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    command = [sys.executable, "manage.py", "runserver", "--noreload", "--nostatic", address]
    # A session of its own: Ctrl-C reaches us alone, and we stop both in order.
    return subprocess.Popen(
        command, cwd=settings.BASE_DIR, env=environment, start_new_session=True, stdout=subprocess.DEVNULL
    )


def _own_addresses() -> list[str]:
    """Return the addresses that this machine's own name stands for, so that HOST=0.0.0.0 answers to them."""
    try:
        return socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:
        return []


def _start_worker() -> subprocess.Popen[bytes]:
    # -B: the sweeper's clock runs inside this one worker.
    options = ["worker", "--pool", "threads", "--concurrency", "2", "-B", "--loglevel", "WARNING"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    command = [sys.executable, "-m", "celery", "-A", "peb_site", *options, *quiet]
    return subprocess.Popen(command, cwd=settings.BASE_DIR, start_new_session=True, stdout=subprocess.DEVNULL)


def _wait_until_up(address: str, children: list[subprocess.Popen[bytes]]) -> None:
    for _ in range(300):
        if any(child.poll() is not None for child in children):
            raise CommandError("The web server or the worker could not start; see its message above.")
        try:
            with urllib.request.urlopen(address, timeout=2):  # noqa: S310 - our own http address
                return
        except OSError:
            time.sleep(0.2)
    raise CommandError("The web server does not answer.")


def _stop(children: list[subprocess.Popen[bytes]]) -> None:
    for child in children:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    for child in children:
        try:
            child.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
