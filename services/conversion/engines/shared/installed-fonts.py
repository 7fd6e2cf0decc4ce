"""The fonts on this machine, for engines that report which fonts of a file were replaced."""

import re
import subprocess


def families_here():
    """Names of all fonts that fontconfig knows, normalised for comparison; empty if fontconfig cannot be queried."""
    try:
        listed = subprocess.run(["/usr/bin/fc-list", "--format", "%{family}\n"], capture_output=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return set()
    return {comparable(name) for name in re.split(r"[\n,]", listed.decode("utf-8", "replace"))} - {""}


def comparable(name):
    return re.sub(r"[\W_]", "", name).casefold()
