#!/bin/sh
# keep-running.sh COMMAND [ARG]...: runs a process that serves, and again when it crashed, or ended itself because it hung (by SIGALRM,
# services/kit/hang-watch). Signals and every other end are passed on; who sends SIGKILL wants it to be gone. A shell, because it needs
# a megabyte at rest, and a second Node forty.

# A life that was longer says that the crash before it is overcome.
overcome_seconds=20
most_crashes=10
longest_pause=30

child=
ending=
crashes=0
# By this number the process knows whether its keeper lives.
export FILEMILL_KEEPER=$$

pass_on() {
  ending=1
  if [ -n "$child" ]; then kill -s "$1" "$child" 2>/dev/null; fi
}
trap 'pass_on TERM' TERM
trap 'pass_on INT' INT
trap 'pass_on HUP' HUP
trap 'pass_on QUIT' QUIT

# Since the machine was started: the clock may be set.
seconds() {
  if read -r up _ 2>/dev/null </proc/uptime; then echo "${up%%.*}"; else date +%s; fi
}

# A signal ends the waiting, not the process that is waited for.
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
  # A child that is not the program yet loses any signal but this one.
  if [ -n "$ending" ]; then kill -s KILL "$child" 2>/dev/null; exit 143; fi
  await
  # An error of JavaScript that nobody caught, or 128 and SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGALRM.
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
