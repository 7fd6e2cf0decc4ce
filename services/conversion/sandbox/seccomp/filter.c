/*
 * Writes the seccomp programs that every sandboxed process runs under, one for each architecture.
 *
 *   cc -O2 -o /tmp/filter filter.c -lseccomp && /tmp/filter .        (Debian: libseccomp-dev)
 *
 * The programs are committed, and their SHA-256 is checked at each start (see ../seccomp.ts), so a
 * deployment needs neither a compiler nor libseccomp. The rules in words: everything that an ordinary
 * program does is allowed. Sockets other than AF_UNIX, new namespaces, mounts, tracing, kernel keyrings,
 * BPF, io_uring and the rest of the kernel's rarely used surface are not.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const denied[] = {
    /* namespaces, mounts, tracing */
    "mount", "umount2", "mount_setattr", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "pivot_root", "chroot", "setns", "unshare", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd",
    "process_madvise", "kcmp", "name_to_handle_at", "open_by_handle_at",
    /* kernel keyrings, BPF, asynchronous I/O, faults, performance events, page placement */
    "add_key", "request_key", "keyctl", "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd",
    "perf_event_open", "fanotify_init", "mbind", "migrate_pages", "move_pages", "lookup_dcookie",
    /* modules, reboot, clocks, swap, quotas, ports */
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "acct", "swapon", "swapoff",
    "quotactl", "quotactl_fd", "nfsservctl", "syslog", "uselib", "vhangup", "sethostname", "setdomainname", "clock_settime",
    "clock_adjtime", "settimeofday", "adjtimex", "ioperm", "iopl", "modify_ldt", "vm86", "vm86old", 0};

static int deny(scmp_filter_ctx filter, int error, const char *name) {
  int number = seccomp_syscall_resolve_name(name);
  return number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), number, 0);
}

/* Only local stream sockets: on a datagram socket, each message may name another address. */
static int only_streams(scmp_filter_ctx filter, int call) {
  int failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), call, 1, SCMP_A0(SCMP_CMP_GT, AF_UNIX));
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), call, 1, SCMP_A0(SCMP_CMP_LT, AF_UNIX));
  for (int type = 0; type <= 0xf; type++) {
    if (type == SOCK_STREAM) continue;
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ESOCKTNOSUPPORT), call, 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type));
  }
  return failed;
}

/*
 * Without namespaces that hide the outside: sockets that reach nobody and that nobody can reach. LibreOffice does not start without
 * its own socket, so bind and listen succeed and do nothing. Only socketpair ever connects sockets.
 */
static int without_namespaces(scmp_filter_ctx filter) {
  int failed = only_streams(filter, SCMP_SYS(socket)) | only_streams(filter, SCMP_SYS(socketpair));
  failed |= deny(filter, EACCES, "connect") | deny(filter, 0, "bind") | deny(filter, 0, "listen");
  /* Programs of the same user outside have limits that this one must not change. */
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_NE, 0));
  /* These requests reveal the host's interfaces and addresses. */
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffff00u, 0x8900));
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffff00u, 0x8b00));
  return failed;
}

static int write_program(const char *folder, const char *name, uint32_t arch, int talking_sockets) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == NULL) return 1;
  /* A foreign architecture (x32, i386 on x64) is killed, because its call numbers would bypass the rules. */
  seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  if (arch != seccomp_arch_native()) {
    if (seccomp_arch_add(filter, arch) || seccomp_arch_remove(filter, SCMP_ARCH_NATIVE)) return 1;
  }
  int failed = 0;
  for (int i = 0; denied[i] != NULL; i++) {
    int result = deny(filter, EPERM, denied[i]);
    if (result != 0 && result != -EDOM) failed = 1;
  }
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER));
  /* Its flags are behind a pointer that a filter cannot follow. libc falls back to clone. */
  failed |= deny(filter, ENOSYS, "clone3");
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCSTI));
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, 0x541C /* TIOCLINUX */));
  /* AF_VSOCK has no network namespace, so an empty one is not enough. */
  if (talking_sockets) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_GT, AF_UNIX));
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_LT, AF_UNIX));
  } else {
    failed |= without_namespaces(filter);
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.bpf", folder, name);
  int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file < 0) return 1;
  failed |= seccomp_export_bpf(filter, file);
  close(file);
  seccomp_release(filter);
  printf("%s %s\n", path, failed ? "FAILED" : "written");
  return failed;
}

int main(int count, char **values) {
  const char *folder = count > 1 ? values[1] : ".";
  return write_program(folder, "x64", SCMP_ARCH_X86_64, 1) || write_program(folder, "arm64", SCMP_ARCH_AARCH64, 1) ||
         write_program(folder, "x64-mute-sockets", SCMP_ARCH_X86_64, 0) ||
         write_program(folder, "arm64-mute-sockets", SCMP_ARCH_AARCH64, 0);
}
