"""The fonts on this machine, for engines that tell which fonts of a file were replaced."""

import re
import subprocess


def families_here():
    """Of all fonts that fontconfig knows, in comparable form; none when it cannot be asked."""
    try:
        listed = subprocess.run(["/usr/bin/fc-list", "--format", "%{family}\n"], capture_output=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return set()
    return {comparable(name) for name in re.split(r"[\n,]", listed.decode("utf-8", "replace"))} - {""}


def comparable(name):
    return re.sub(r"[\W_]", "", name).casefold()
