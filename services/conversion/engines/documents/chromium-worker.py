"""Prints one page with a browser inside the sandbox: a line of JSON in, a line of JSON out, as ../shared/child-engine.ts asks.

The browser can load only what the worker serves. A worker and its browser answer one question; then their owner ends both.
"""

import base64
import json
import os
import sys
import time
import traceback

import devtools
import fonts
import pages
import paper
from installed_fonts import families_here

INLINE = 512 * 1024
PIXELS = 16_000
# Redirects from within a page are limited; an initial one to the actual page is followed.
MOST_JUMPS = 5
FONTS = "document.fonts.ready.then(() => true)"
FACTS = """(() => ({
  scripts: [...document.scripts].some((each) => /^$|javascript|ecmascript|module/i.test(each.type)),
  broken: document.querySelector("parsererror") !== null,
}))()"""


class Page:
    """The only page of the only browser."""

    def __init__(self):
        self.site = None
        self.notes = {}
        self.loaded = False
        self.spent = False
        self.jumps = 0
        self.refused = None
        self.families = families_here()
        self.browser = devtools.Browser(self.on_event)
        call = self.browser.call
        self.frame = call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        call("Page.enable")
        call("Log.enable")
        call("Browser.setDownloadBehavior", behavior="deny")
        call("Fetch.enable", patterns=[{"urlPattern": "*"}])

    def on_event(self, method, event):
        if method == "Fetch.requestPaused":
            self.answer(event["requestId"], event["request"], event["frameId"], event["resourceType"])
        elif method == "Page.loadEventFired":
            self.loaded = self.site is not None
        elif method == "Emulation.virtualTimeBudgetExpired":
            self.spent = True
        elif method == "Page.javascriptDialogOpening":
            self.browser.send("Page.handleJavaScriptDialog", accept=False)
        elif method == "Log.entryAdded" and "Not allowed to load local resource" in event["entry"]["text"]:
            self.note("EXTERNAL_CONTENT_BLOCKED")

    def note(self, code, message=None):
        before = self.notes.setdefault(code, message)
        if before and message and message not in before:
            self.notes[code] = f"{before} {message}"

    def answer(self, number, request, frame, type):
        is_page = type == "Document" and frame == self.frame
        # The first request is for our page, however the browser spells its address.
        found = self.find(self.site.address if is_page and self.jumps == 0 else request["url"])
        if is_page:
            self.jumps += 1
            if self.jumps > MOST_JUMPS:
                found = None
        if found is not None:
            kind, content = found
            self.fulfil(number, kind, content)
            return
        if not request["url"].endswith("/favicon.ico"):
            self.note("EXTERNAL_CONTENT_BLOCKED")
        if is_page:
            # 204 No Content: the page stays where it is.
            self.browser.send("Fetch.fulfillRequest", requestId=number, responseCode=204)
        elif type == "Document":
            # Empty, instead of the browser's error page.
            self.fulfil(number, "text/html", b"")
        else:
            self.browser.send("Fetch.failRequest", requestId=number, errorReason="BlockedByClient")

    def find(self, address):
        try:
            return self.site and self.site.find(address.partition("#")[0].partition("?")[0]) or self.site and self.site.find(address)
        except pages.Unusable as error:
            self.refused = error
            return None

    def fulfil(self, number, type, content):
        headers = [{"name": "content-type", "value": type}]
        body = base64.b64encode(content).decode()
        self.browser.send("Fetch.fulfillRequest", requestId=number, responseCode=200, responseHeaders=headers, body=body)

    def evaluate(self, expression, wait=False):
        """Evaluates our own expression on the page; None if that fails."""
        result = self.browser.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=wait)
        return result["result"].get("value")

    def load(self, options):
        runs = options.get("javascript") is True
        self.browser.call("Emulation.setScriptExecutionDisabled", value=not runs)
        self.open()
        if runs:
            self.run_scripts(float(options.get("javascriptSeconds", 5)))
        else:
            self.browser.wait(lambda: self.loaded)
        if self.refused is not None:
            raise self.refused
        facts = self.evaluate(FACTS) or {}
        if facts.get("broken") and self.site.forgive():
            self.note("INPUT_DAMAGED", "The page is not well-formed XHTML; it was read as HTML.")
            return self.load(options)
        if facts.get("scripts") and not runs:
            self.note("SCRIPTS_NOT_RUN")
        if self.site.is_guessed:
            guess = options.get("charset")
            self.note("ENCODING_GUESSED", guess and f"The text's encoding was guessed to be {guess}.")
        self.evaluate(FONTS, wait=True)
        told = self.evaluate(fonts.STACKS) or {}
        missing = fonts.replaced(told.get("stacks", []), told.get("loaded", []), self.families)
        if missing:
            self.note("FONT_SUBSTITUTED", "\n".join(missing))

    def open(self):
        self.loaded = False
        self.jumps = 0
        self.browser.call("Page.navigate", url=self.site.address)

    def run_scripts(self, seconds):
        """Gives scripts their time on a virtual clock that skips their waits; then disables them."""
        until = time.monotonic() + seconds
        self.spent = False
        budget = {"policy": "pauseIfNetworkFetchesPending", "budget": int(seconds * 1000)}
        self.browser.send("Emulation.setVirtualTimePolicy", **budget)
        if not self.browser.wait(lambda: self.loaded and self.spent, until):
            self.note("SCRIPTS_NOT_RUN", f"Scripts were stopped after {seconds:g} s.")
        # A terminated script may start again, by a timer or a navigation, before the browser handles the next command.
        self.browser.insist("Runtime.terminateExecution", until, "Emulation.setScriptExecutionDisabled", value=True)
        self.browser.insist("Runtime.terminateExecution", until, "Emulation.setVirtualTimePolicy", policy="advance")
        self.browser.wait(lambda: self.loaded, time.monotonic() + seconds)


def convert(page, question, content):
    options, to = question["options"], question["to"]
    page.site = pages.open_site(question["from"], content, options.get("charset"))
    is_paper = to == "pdf"
    width = int(options.get("viewportWidth", 1280))
    scale = 1 if is_paper else float(options.get("scale", 1))
    page.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=max(1, width * 9 // 16), deviceScaleFactor=scale, mobile=False)
    page.browser.call("Emulation.setEmulatedMedia", media=options.get("media") or ("print" if is_paper else "screen"))
    page.load(options)
    return paper.print_pdf(page, options) if is_paper else take_picture(page, options, to, scale)


def take_picture(page, options, to, scale):
    view = page.browser.call("Page.getLayoutMetrics")
    size = view["cssContentSize"] if options.get("fullPage") is not False else view["cssLayoutViewport"]
    width, height = (size.get("width", size.get("clientWidth")), size.get("height", size.get("clientHeight")))
    if max(width, height) * scale > PIXELS:
        words = f"The page is larger than {PIXELS} pixels; PDF holds it, and fullPage=false shows its beginning."
        raise pages.Unusable("INPUT_TOO_COMPLEX", words)
    kind = {"format": "jpeg" if to == "jpg" else to}
    if to != "png":
        kind["quality"] = int(options.get("quality", 90))
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    return base64.b64decode(page.browser.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True, **kind)["data"])


def reply(page, question):
    if "data" in question:
        content = base64.b64decode(question["data"])
    else:
        with open("in", "rb") as file:
            content = file.read()
    unprinted = {"ok": False, "code": "CONVERSION_FAILED", "message": "The page could not be printed.", "odd": True}
    try:
        result = convert(page, question, content)
    except pages.Unusable as error:
        return {"ok": False, "code": error.code, "message": str(error), "odd": False}
    except devtools.Refused as error:
        print(error, file=sys.stderr)
        return unprinted
    except devtools.Lost:
        raise
    except Exception:
        traceback.print_exc()
        return unprinted
    said = {"ok": True, "notes": [[code, message] for code, message in page.notes.items()]}
    if len(result) <= INLINE:
        return {**said, "data": base64.b64encode(result).decode()}
    with open("out", "wb") as file:
        file.write(result)
    return said


def main():
    page = Page()
    for line in sys.stdin.buffer:
        question = json.loads(line)
        answer = {"ready": True} if question.get("ready") is True else reply(page, question)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except devtools.Lost:
        os._exit(70)
