"""Headless Chromium, for tests of pages."""

import json
import re
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def widths(html, folder, width):
    """Return the width of a frame and of its content, as the browser lays it out.

    The window itself cannot be as narrow as a phone.
    """
    page = folder / f"page-{width}.html"
    script = (
        "var frame = document.querySelector('iframe');"
        "frame.onload = function () {"
        "  var root = frame.contentDocument.documentElement;"
        "  document.body.dataset.widths = root.clientWidth + ' ' + root.scrollWidth;"
        "};"
    )
    frame = f'<iframe width="{width}" height="900" style="border: 0"></iframe>'
    source = json.dumps(html).replace("</", "<\\/")
    page.write_text(
        f"<body>{frame}<script>{script} frame.srcdoc = {source};</script></body>",
        encoding="utf-8",
    )
    dom = run(folder, "--window-size=1500,1000", "--dump-dom", f"file://{page}")
    return [int(number) for number in re.search(r'data-widths="(.*?)"', dom)[1].split()]


def run(folder, *arguments):
    profile = folder / "profile"
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    return done.stdout
