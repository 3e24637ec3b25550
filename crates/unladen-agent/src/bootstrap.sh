set -f; umask 077; n=@NONCE@; o=;
s() { printf '\n%s %s\n' "unladen-agent-$n" "$*"; };
if [ -t 0 ] || [ -t 1 ]; then s tty; exit 0; fi;
if ! [ -c /dev/null ]; then s lacks /dev/null; exit 0; fi;
for u in unladen unladen-agent; do
p=$(command -v "$u" 2>/dev/null) || continue;
v=$("$p" agent --protocol </dev/null 2>/dev/null) || v=;
case $v in "@PROTOCOL@ "*) s run "$p"; exec "$p" agent;; esac;
[ -n "$o" ] || o="$p ${v:-(without the command agent)}";
done;
if [ @COPY@ = 0 ]; then s none "$o"; exit 0; fi;
for u in chmod head mktemp rm uname wc; do
if ! command -v "$u" >/dev/null 2>&1; then s lacks "$u"; exit 0; fi;
done;
if ! [ -r /proc/self/stat ]; then s lacks /proc; exit 0; fi;
f=; tried=;
for d in "$TMPDIR" /tmp /var/tmp /dev/shm "$XDG_RUNTIME_DIR" "$HOME" /run; do
[ -n "$d" ] && [ -d "$d" ] || continue; tried="$tried $d";
t=$(mktemp -d "$d/.unladen-agent.XXXXXXXX" 2>/dev/null) || continue; f=$t/agent;
if printf '#!/bin/sh\nexit 0\n' >"$f" && chmod 700 "$f" && "$f"; then exec 3>"$f" 4<"$f"; rm -rf "$t"; break; fi 2>/dev/null;
rm -rf "$t"; f=;
done;
if [ -z "$f" ]; then s nofolder "$tried"; exit 0; fi;
s need "$(uname -s)" "$(uname -m)" "$d";
IFS=' ' read -r z h; s send; head -c "$z" >&3; exec 3>&-;
c=$(wc -c </proc/self/fd/4); c=$((c));
if [ "$c" != "$z" ]; then s short "$c" "$d"; exit 0; fi;
if command -v sha256sum >/dev/null 2>&1; then
case $(sha256sum </proc/self/fd/4) in "$h "*) ;; *) s damaged; exit 0;; esac;
fi;
v=$(/proc/self/fd/4 agent --protocol </dev/null 2>&1);
case $v in "@PROTOCOL@ "*) ;; *) s fails $v; exit 0;; esac;
s run copied; exec /proc/self/fd/4 agent; exit 127
