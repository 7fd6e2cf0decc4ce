/**
 * The seccomp profile of a container in which Filemill makes its own sandboxes: what ordinary programs need from a kernel, and what
 * bubblewrap needs for the recipe. For containers without capabilities. `npm run docs` writes it to .docker/seccomp.json.
 */

/** Calls that the recipe needs: for its namespaces, its mounts, its root folder and its host name. */
export const sandboxCalls = ["clone", "clone3", "unshare", "mount", "umount2", "pivot_root", "sethostname"];

/**
 * What container engines allow by default on x86-64 and arm64, without what neither Node nor any engine uses: asynchronous rings, clocks,
 * file notification for the whole host.
 */
const ordinaryCalls = `
accept accept4 access alarm arch_prctl bind brk capget capset chdir chmod chown clock_getres clock_gettime clock_nanosleep close close_range
connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2
fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_waitv
futimesat get_robust_list getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid
getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr
inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit ioctl
ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr
llistxattr lremovexattr lseek lsetxattr lstat madvise membarrier memfd_create mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap
mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap msgctl msgget msgrcv msgsnd msync munlock munlockall
munmap nanosleep newfstatat open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2 poll ppoll prctl pread64 preadv preadv2
prlimit64 process_mrelease pselect6 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg
remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr
sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp
select semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto set_robust_list set_tid_address setfsgid setfsuid setgid setgroups
setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setsockopt setuid setxattr shmat shmctl shmdt shmget
shutdown sigaltstack signalfd signalfd4 socket socketpair splice stat statfs statx symlink symlinkat sync sync_file_range syncfs sysinfo tee
tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill
truncate umask uname unlink unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write writev
`;

/** In the format of Docker, containerd, CRI-O and Podman. @param omitted - Left out by tests, to show what it is needed for. */
export function containerProfile(omitted: readonly string[] = []): object {
  const allow = (names: readonly string[], comment: string) => ({
    names: names.filter((name) => !omitted.includes(name)),
    action: "SCMP_ACT_ALLOW",
    comment,
  });
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: 1,
    // Without 32-bit calls, because no engine is a 32-bit program.
    archMap: [
      { architecture: "SCMP_ARCH_X86_64", subArchitectures: [] },
      { architecture: "SCMP_ARCH_AARCH64", subArchitectures: [] },
    ],
    syscalls: [
      allow(ordinaryCalls.trim().split(/\s+/), "what programs ordinarily ask for"),
      allow(sandboxCalls, "what Filemill's sandboxes are made of"),
    ],
  };
}

/** The content of `.docker/seccomp.json`. */
export function profileText(): string {
  return `${JSON.stringify(containerProfile(), undefined, 2)}\n`;
}
