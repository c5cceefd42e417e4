"""A real browser: Debian's Chromium, driven by Playwright; nothing is downloaded."""

import os
import re
import shutil

import pytest

# Playwright keeps an event loop in this thread; Django's ORM would refuse to run beside it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("browser tests need a Chromium; on Debian: apt install chromium")
    return {**browser_type_launch_args, "executable_path": found, "args": ARGUMENTS}


@pytest.fixture
def session(browser, live_server):
    """Return a function that signs a person in with a session of their own; fails on any console error."""
    contexts, complaints = [], []

    def note(message):
        # The browser logs a refused form (409, 422) as an error too; tests ask for those.
        if message.type == "error" and not re.search("status of (409|422)", message.text):
            complaints.append(message.text)

    def sign_in(username, password, **options):
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/sign-in/")
        page.fill("#id_username", username)
        page.fill("#id_password", password)
        page.click("main button")
        page.wait_for_url(live_server.url + "/")
        return page

    yield sign_in
    for context in contexts:
        context.close()
    assert complaints == []
