"""`make run` in the small: server and worker start together, answer, and stop on Ctrl-C."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.timeout(120)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def environment(tmp_path):
    keep = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "CELERY_BROKER_URL")}
    environment = {**keep, "PEB_DATA_DIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True)
    return environment


def serve(environment, port):
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def read_until(process, text):
    shown = ""
    while text not in shown:
        line = process.stdout.readline()
        assert line, f"it ended early:\n{shown}"
        shown += line
    return shown


def test_it_starts_answers_and_stops(environment):
    port = free_port()
    process = serve(environment, port)
    try:
        shown = read_until(process, "Ctrl-C stops it")
        assert f"http://127.0.0.1:{port}/" in shown
        assert len(re.findall(r"^  (admin|lead|reviewer|adjudicator) ", shown, re.MULTILINE)) == 5
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            assert answer.status == 200
            page = answer.read().decode()
        style = re.search(r'href="(/static/app[^"]*\.css)"', page)[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{style}", timeout=10) as answer:
            assert answer.status == 200
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) == 2
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    assert process.returncode == 0
    time.sleep(0.2)
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


def test_a_taken_port_is_said_with_a_remedy(environment):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = serve(environment, port)
        shown = process.communicate(timeout=60)[0]
    assert process.returncode == 1
    assert f"make run PORT={port + 1}" in shown
