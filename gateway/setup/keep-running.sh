#!/bin/sh
# keep-running.sh COMMAND [ARG]...: runs a serving process, and restarts it if it crashes or kills itself because it hangs (by SIGALRM,
# services/kit/hang-watch). Passes signals on. Exits with the process in every other case; SIGKILL counts as intended.
# A shell, because it needs 1 MB of memory when idle, and a second Node 40 MB.

# A run longer than this resets the count of crashes.
overcome_seconds=20
most_crashes=10
longest_pause=30

child=
ending=
crashes=0
# The process checks by this id whether its keeper is alive.
export FILEMILL_KEEPER=$$

pass_on() {
  ending=1
  if [ -n "$child" ]; then kill -s "$1" "$child" 2>/dev/null; fi
}
trap 'pass_on TERM' TERM
trap 'pass_on INT' INT
trap 'pass_on HUP' HUP
trap 'pass_on QUIT' QUIT

# Seconds since boot, because the clock can be changed.
seconds() {
  if read -r up _ 2>/dev/null </proc/uptime; then echo "${up%%.*}"; else date +%s; fi
}

# A signal interrupts `wait`, not the child process.
await() {
  while :; do
    wait "$child"
    code=$?
    kill -0 "$child" 2>/dev/null || break
  done
  child=
}

say() {
  echo "{\"level\":\"$1\",\"time\":\"$(date -u +%Y-%m-%dT%H:%M:%S.000Z)\",\"msg\":\"$2\",\"exitCode\":$code,\"crashes\":$crashes}" >&2
}

while :; do
  began=$(seconds)
  "$@" <&0 &
  child=$!
  # Before it runs the program, a child misses every signal except SIGKILL.
  if [ -n "$ending" ]; then kill -s KILL "$child" 2>/dev/null; exit 143; fi
  await
  # An uncaught JavaScript error, or 128 and SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGALRM.
  case $code in 1 | 132 | 133 | 134 | 135 | 136 | 139 | 142) ;; *) exit "$code" ;; esac
  if [ -n "$ending" ]; then exit "$code"; fi
  if [ $(($(seconds) - began)) -ge "$overcome_seconds" ]; then crashes=0; fi
  crashes=$((crashes + 1))
  if [ "$crashes" -gt "$most_crashes" ]; then
    say fatal process.given_up
    exit "$code"
  fi
  say error process.restarted
  pause=$((crashes * crashes))
  if [ "$pause" -gt "$longest_pause" ]; then pause=$longest_pause; fi
  sleep "$pause" &
  child=$!
  if [ -n "$ending" ]; then kill -s KILL "$child" 2>/dev/null; fi
  crashed=$code
  await
  if [ -n "$ending" ]; then exit "$crashed"; fi
done
