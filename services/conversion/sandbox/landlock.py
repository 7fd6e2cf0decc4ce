"""Starts one program under Landlock and seccomp, for hosts without namespaces; see landlock.ts.

Descriptor 3: settings as JSON. 4: the seccomp program. 5: receives a line when the program has ended.
This process stays outside as the reaper of everything that the program starts, and ends with its parent.
"""
import ctypes
import json
import os
import resource
import signal
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER = 1, 38, 22, 36
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
SYSTEM = ["/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/ImageMagick-6",
          "/etc/ImageMagick-7", "/etc/libreoffice", "/etc/papersize", "/etc/mime.types", "/etc/ssl/openssl.cnf", "/var/lib/ghostscript", "/var/cache/fontconfig",
          "/dev/urandom", "/dev/random", "/dev/zero", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu"]


def call(number, *values):
    result = libc.syscall(ctypes.c_long(number), *values)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def restrict(readable, folder):
    version = call(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    everything = (1 << 13) - 1
    if version >= 2:
        everything |= 1 << 13
    if version >= 3:
        everything |= TRUNCATE
    if version >= 5:
        everything |= 1 << 15
    # Version 4 and later can also restrict TCP, version 6 and later signals and abstract sockets.
    words = [everything] + ([3] if version >= 4 else []) + ([3] if version >= 6 else [])
    attributes = struct.pack("%dQ" % len(words), *words)
    ruleset = call(CREATE_RULESET, ctypes.create_string_buffer(attributes, len(attributes)), ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    for path, access in [(path, EXECUTE | READ_FILE | READ_DIR) for path in readable] + [(folder, everything), ("/dev/null", everything)]:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        if not os.path.isdir(path):
            access &= EXECUTE | WRITE_FILE | READ_FILE | (TRUNCATE if version >= 3 else 0)
        rule = struct.pack("=Qi", access, opened)
        call(ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), ctypes.create_string_buffer(rule, len(rule)), ctypes.c_uint(0))
        os.close(opened)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)


def limit(settings):
    processes = settings["processes"]
    if settings["uid"] is None:
        # The kernel counts everything that this user runs, so the limit starts above that.
        processes += processes_counted()
    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_CPU, settings["cpuSeconds"]), (resource.RLIMIT_FSIZE, settings["fileBytes"]),
              (resource.RLIMIT_NOFILE, settings["openFiles"]), (resource.RLIMIT_NPROC, processes)]
    if settings["addressSpace"]:
        limits.append((resource.RLIMIT_AS, settings["memoryBytes"] * 2))
    else:
        limits.append((resource.RLIMIT_DATA, settings["memoryBytes"] * 2 + 2**30))
    return limits


def processes_counted():
    """The kernel's process count for this user, found by trial: /proc does not show those of other containers, which count too."""
    before, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    most = 2**22 if hard == resource.RLIM_INFINITY else hard
    few, many = 0, 1
    while many < most and not can_start(min(many, most), hard):
        few, many = many, many * 2
    many = min(many, most)
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if can_start(middle, hard) else (middle, many)
    resource.setrlimit(resource.RLIMIT_NPROC, (before, hard))
    return few


def can_start(limit, hard):
    """Whether one more process can start with this limit."""
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, hard))
    try:
        pid = os.fork()
    except BlockingIOError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def close_on_exec():
    for descriptor in os.listdir("/proc/self/fd"):
        if int(descriptor) > 2:
            try:
                os.set_inheritable(int(descriptor), False)
            except OSError:
                # The descriptor of the listing itself.
                pass


def become(settings, program):
    close_on_exec()
    limits = limit(settings)
    os.setsid()
    os.chdir(settings["folder"])
    if settings["uid"] is not None:
        os.setgroups([])
        os.setresgid(settings["uid"], settings["uid"], settings["uid"])
        os.setresuid(settings["uid"], settings["uid"], settings["uid"])
    restrict(SYSTEM + settings["readable"], settings["folder"])
    for name, value in limits:
        resource.setrlimit(name, (value, value))
    instructions = ctypes.create_string_buffer(program, len(program))
    pointer = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(instructions))
    if libc.prctl(PR_SET_SECCOMP, 2, ctypes.create_string_buffer(pointer, len(pointer)), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    os.execve(settings["program"], [settings["program"]] + settings["args"], settings["env"])


def descendants(pid):
    try:
        for thread in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, thread)) as file:
                for child in file.read().split():
                    yield int(child)
                    yield from descendants(int(child))
    except OSError:
        return


def end_all():
    """Repeats until nothing is left: a killed process may have started another a moment before."""
    while True:
        left = list(descendants(os.getpid()))
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG if left else 0)[0] != 0:
                pass
        except ChildProcessError:
            return


def main():
    with os.fdopen(3, "rb") as file:
        settings = json.loads(file.read())
    with os.fdopen(4, "rb") as file:
        program = file.read()
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def stop(*_):
        end_all()
        os._exit(143)

    signal.signal(signal.SIGTERM, stop)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != settings["parent"]:
        # The parent died before the death signal was set.
        return
    report, started = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.close(report)
            os.close(5)
            become(settings, program)
        except BaseException as error:
            os.write(2, ("landlock: %s\n" % error).encode())
            os.write(started, b"failed")
            os._exit(1)
    os.close(started)
    # A successful exec closes it.
    failed = os.read(report, 6) != b""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    end_all()
    if not failed:
        os.write(5, b'{"exit-code": %d}' % code)
    os._exit(128 - code if code < 0 else code)


main()
