"""Runs the worker inside the office process: in the degraded sandbox,
where sockets do not work, nothing can talk to an office from outside.

Run as a program, with the worker's modules as name=path and optionally "windows=FOLDER=REPLACEMENT", it starts the
office with this file as a component. The office then runs it as a startup job, which answers until the questions end.
"""
import os
import subprocess
import sys
from xml.sax.saxutils import escape

PROGRAM = "/usr/lib/libreoffice"
SERVICE = "org.filemill.Worker"
SERVICES = f"""<?xml version="1.0"?>
<components xmlns="http://openoffice.org/2010/uno-components">
<component loader="com.sun.star.loader.Python" uri="file://{escape(os.path.abspath(__file__))}"><implementation name="{SERVICE}"><service name="{SERVICE}"/></implementation></component>
</components>"""
JOB = f"""<item oor:path="/org.openoffice.Office.Jobs/Jobs"><node oor:name="Worker" oor:op="replace"><prop oor:name="Service"><value>{SERVICE}</value></prop></node></item>
<item oor:path="/org.openoffice.Office.Jobs/Events"><node oor:name="OnStartApp" oor:op="fuse"><node oor:name="JobList"><node oor:name="Worker" oor:op="replace"/></node></node></item>"""


def lay_over(folder, copy, replaced, replacement):
    """Mirrors a folder with symbolic links, except for one replaced subfolder."""
    os.mkdir(copy)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if path == replaced:
            os.symlink(replacement, os.path.join(copy, name))
        elif replaced.startswith(path + "/"):
            lay_over(path, os.path.join(copy, name), replaced, replacement)
        else:
            os.symlink(path, os.path.join(copy, name))


def start(parts):
    """Returns the office's exit code."""
    home = os.environ["TMPDIR"]
    modules = home + "/profile/modules"
    os.makedirs(modules)
    # An unreadable path crashes the office, a missing one does not.
    settings = [f"-env:UNO_SHARED_PACKAGES_CACHE=file://{home}/profile/none"]
    for name, path in (part.split("=", 1) for part in parts):
        if name == "windows":
            lay_over(PROGRAM + "/share", home + "/profile/share", *path.split("="))
            # Relative to PROGRAM.
            settings.append(f"-env:BRAND_SHARE_SUBDIR=../../..{home}/profile/share")
        else:
            os.symlink(path, os.path.join(modules, f"{name}.py"))
    sys.path.insert(0, modules)
    import process

    process.seed_profile(JOB)
    services = modules + "/services.rdb"
    with open(services, "w", encoding="utf-8") as file:
        file.write(SERVICES)
    settings.append(f"-env:URE_MORE_SERVICES=<file://{PROGRAM}/program/services>* file://{services}")
    answers = os.dup(1)
    env = {**os.environ, "TEMP": home, "PYTHONPATH": f"{modules}:{os.environ['PYTHONPATH']}", "ANSWERS": str(answers)}
    for _ in range(3):
        # The office's own output must not mix with the answers.
        office = subprocess.run([*process.COMMAND, *settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, pass_fds=[answers])
        if office.returncode != process.AGAIN:
            break
    return office.returncode


if __name__ == "__main__":
    sys.exit(abs(start(sys.argv[1:])))

import unohelper
from com.sun.star.task import XJob


class Job(unohelper.Base, XJob):
    def __init__(self, context):
        self.context = context

    def execute(self, arguments):
        import worker

        toolkit = self.context.ServiceManager.createInstanceWithContext("com.sun.star.awt.Toolkit", self.context)
        try:
            # The office waits for this job, so it processes deferred events only when called.
            worker.serve(self.context, os.fdopen(int(os.environ["ANSWERS"]), "w"), toolkit.processEventsToIdle)
        finally:
            os._exit(0)


g_ImplementationHelper = unohelper.ImplementationHelper()
g_ImplementationHelper.addImplementation(Job, SERVICE, (SERVICE,))
