"""The office as a process of its own in the sandbox, and its profile."""
import atexit
import os
import subprocess
import time

import uno

TEMPORARY = os.environ["TMPDIR"]
PROFILE = TEMPORARY + "/profile"
PIPE = "filemill"
# No links are fetched, no macros run, no dialogs appear: a second layer behind the sandbox, which has no network.
SETTINGS = (
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Save/Document", "LoadPrinter", "false"),
    # Beyond these, formulas of Writer become pictures in RTF, with braces missing.
    ("Office.Common/Cache/Writer", "OLE_Objects", "10000"),
    ("Office.Writer/Content/Update", "Link", "0"),
    ("Office.Calc/Content/Update", "Link", "2"),
    ("Office.Calc/Formula/Load", "OOXMLRecalcMode", "1"),
    ("Office.Calc/Formula/Load", "ODFRecalcMode", "1"),
)


def seed_profile(more=""):
    """`more`: settings as in the XML file."""
    os.makedirs(PROFILE + "/user", exist_ok=True)
    items = "".join(
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in SETTINGS
    )
    with open(PROFILE + "/user/registrymodifications.xcu", "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">' + items + more + "</oor:items>")


COMMAND = (
    "/usr/lib/libreoffice/program/soffice.bin", f"-env:UserInstallation=file://{PROFILE}", "--headless", "--invisible", "--norestore",
    "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard",
)
# Exit code with which the office asks for a restart, once on a fresh profile.
AGAIN = 81


def start_office():
    command = [*COMMAND, f"--accept=pipe,name={PIPE};urp;StarOffice.ComponentContext"]
    office = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # If Filemill was killed during sandbox setup, nothing ends the sandbox: it lasts as long as a process in it.
    atexit.register(office.kill)
    return office


def connect():
    """Starts the office and waits for it."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    office, starts = start_office(), 1
    while True:
        code = office.poll()
        if code is not None:
            if code != AGAIN or starts > 2:
                raise RuntimeError(f"the office ended with {code}")
            office, starts = start_office(), starts + 1
        try:
            return resolver.resolve(f"uno:pipe,name={PIPE};urp;StarOffice.ComponentContext")
        except uno.getClass("com.sun.star.connection.NoConnectException"):
            time.sleep(0.02)
