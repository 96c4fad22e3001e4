"""A page of the arena in a real browser: finds elements, clicks, waits, and reads the console."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

TIMEOUT = 60.0
VIOLATIONS = """
const done = arguments[0];
const listed = ({ id, nodes }) => [id, ...nodes.slice(0, 3).map((node) => node.html + node.failureSummary)];
axe.run(document, { resultTypes: ["violations"] }).then(
  ({ violations }) => done(violations.map(listed)),
  (error) => done([String(error)]),
);
"""


def until(condition: Callable[[], Any], failure: str) -> Any:
    """Wait until the condition is true, and return its value; `failure` is the message if it stays false."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(failure)


class Page:
    """The browser and the address of the pages."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser = browser
        self.address = address

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        """Set the size of the window, and the colour scheme."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def open(self, path: str = "") -> None:
        """Load the page from scratch, in a browser that remembers no game and no choice."""
        origin = {"origin": self.address.rstrip("/"), "storageTypes": "local_storage"}
        self.browser.execute_cdp_cmd("Storage.clearDataForOrigin", origin)
        self.visit(path)

    def visit(self, path: str = "") -> None:
        """Load the page in a browser that has visited it before."""
        self.browser.get("about:blank")
        self.browser.get(self.address + path)

    def all(self, css: str) -> list[Any]:
        """Return the elements that match at this moment."""
        found: list[Any] = self.browser.find_elements(By.CSS_SELECTOR, css)
        return found

    def one(self, css: str) -> Any:
        """The first such element, once there is one."""
        return self.until(lambda: next(iter(self.all(css)), None), f"no {css}")

    def click(self, css: str) -> None:
        """Click the first such element, once there is one."""
        self.one(css).click()

    def text(self, css: str) -> str:
        """The text of the first such element, once there is one."""
        text = self.until(lambda: self._read(css), f"no text in {css}")
        return str(text)

    def until(self, condition: Callable[[], Any], failure: str) -> Any:
        """Like the function `until`."""
        return until(condition, failure)

    def marks(self, board: int = 0) -> str:
        """The position on a board, one character for each cell, from the classes and texts of the cells."""
        labels = self.script(
            "return [...document.querySelectorAll('.board')[arguments[0]].querySelectorAll('.cell')]"
            ".map(cell => [cell.className, cell.textContent])",
            board,
        )
        return "".join(_mark(name, text) for name, text in labels)

    def settle(self) -> None:
        """Wait until the Play page has the answers to all its requests."""
        self.until(lambda: self.all(".play-page") and not self.all(".play-page.busy"), "the page stays busy")

    def cell(self, index: int) -> Any:
        """A cell of the first board."""
        return self.one(f'.cell[data-i="{index}"]')

    def do(self) -> ActionChains:
        """Actions of the mouse and the keyboard."""
        return ActionChains(self.browser, duration=0)

    def script(self, code: str, *arguments: Any) -> Any:
        """Run JavaScript and return its value."""
        return self.browser.execute_script(code, *arguments)

    def console_errors(self) -> list[str]:
        """The warnings and errors in the console."""
        return [str(line["message"]) for line in self.browser.get_log("browser") if line["level"] != "INFO"]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        return int(self.script("return document.documentElement.scrollWidth - innerWidth"))

    def open_details(self) -> None:
        """Show everything that is folded away."""
        self.script("for (const details of document.querySelectorAll('details')) details.open = true")

    def violations(self, axe: str) -> dict[str, list[Any]]:
        """Return what axe-core finds on the page in the light and in the dark colour scheme. `axe` is its code."""
        self.script(axe)
        found = {}
        for scheme in ("light", "dark"):
            self.size(1280, 900, dark=scheme == "dark")
            found[scheme] = self.browser.execute_async_script(VIOLATIONS)
        return {scheme: listed for scheme, listed in found.items() if listed}

    def _read(self, css: str) -> str:
        try:
            return next((element.text for element in self.all(css)), "")
        except StaleElementReferenceException:
            return ""


def _mark(name: str, text: str) -> str:
    words = name.split()
    if "flag" in words:
        return "F"
    if "detonated" in words:
        return "*"
    if "covered" in words:
        return "."
    return text or "0"
