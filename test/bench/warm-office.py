"""The baseline: one warm LibreOffice, driven directly and without a sandbox. Reads "IN OUT FILTER" lines, answers "done"."""
import subprocess
import sys
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

profile = sys.argv[1]
command = [
    "/usr/lib/libreoffice/program/soffice.bin", f"-env:UserInstallation=file://{profile}", "--headless", "--invisible", "--norestore", "--nologo",
    "--nodefault", "--nolockcheck", "--nofirststartwizard", f"--accept=pipe,name=bench{profile.replace('/', '-')};urp;StarOffice.ComponentContext",
]
office = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
local = uno.getComponentContext()
resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
while True:
    if office.poll() == 81:
        office = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        context = resolver.resolve(f"uno:pipe,name=bench{profile.replace('/', '-')};urp;StarOffice.ComponentContext")
        break
    except NoConnectException:
        time.sleep(0.05)
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
print("ready", flush=True)
for line in sys.stdin:
    source, target, name = line.split(None, 2)
    document = desktop.loadComponentFromURL(f"file://{source}", "_blank", 0, (PropertyValue("Hidden", 0, True, 0),))
    document.storeToURL(f"file://{target}", (PropertyValue("FilterName", 0, name.strip(), 0),))
    document.close(True)
    print("done", flush=True)
office.kill()
