# shellcheck shell=bash
# What every subject shares. subjects/NAME/run sources this file, defines
#
#   DAEMONS        the daemons' names, in the order in which they are stopped
#   packages()     installs what is needed: calls `need`
#   start()        starts the daemons and returns once the subject answers
#   url()          prints the URL to measure
#   env_lines()    (optional) prints further KEY=value lines for `run env`
#   restart_daemon()  (optional) what `run restart` does, where the application is not PHP-FPM's
#
# and ends with: main "$@"
#
# Everything a subject writes is below $STATE, set by open_state. Progress goes to stderr; stdout
# carries results only, so that URL=$(subjects/NAME/run up) works.

umask 022
HERE=$(dirname "$(realpath "$0")")
SUBJECT=$(basename "$HERE")
: "${UNLADEN_STATE:=$(realpath "$HERE/../..")/.state}"
STATE=

# Who serves. Without root the servers run as the caller and only the packages' absence is in the way.
if [ "$(id -u)" -eq 0 ]; then WORKER=${UNLADEN_USER:-www-data}; else WORKER=$(id -un); fi

say() { printf '%s: %s\n' "$SUBJECT" "$*" >&2; }
die() { say "$*"; exit 1; }

# run_as USER COMMAND…: COMMAND as USER where we may choose, else as ourselves.
run_as() {
    local user=$1
    shift
    if [ "$(id -u)" -eq 0 ]; then runuser -u "$user" -- "$@"; else "$@"; fi
}

# wait_for SECONDS COMMAND…: until COMMAND succeeds; fails when the time is over.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# === Packages ===

absent() {
    local package
    for package; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || :)" = installed ] || echo "$package"
    done
}

# What starts the servers at the next boot. Only theirs, as a minimal system may get systemd itself as a dependency.
boot_links() {
    { find /etc/systemd/system -maxdepth 2 -type l \( -lname '*/nginx.service' -o -lname '*/php*-fpm.service' \
        -o -lname '*/postgresql*.service' -o -lname '*/*sympa*.s*' -o -lname '*/rsyslog.service' -o -lname '*/haproxy.service' \
        -o -lname '*/mariadb.service' -o -lname '*/pgbouncer.service' -o -lname '*/ssh.service' -o -lname '*/ssh.socket' \
        -o -lname '*/prometheus-*' \) \
        || :; } 2>/dev/null | sort
}

# need PACKAGE…: installs what is missing. A package's own service is neither started now nor at the next boot, and
# PostgreSQL's default cluster is not created: installing a subject must not open a port on anybody's machine.
need() {
    local missing
    mapfile -t missing < <(absent "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        say "run as root: apt-get install --no-install-recommends ${missing[*]}"
        exit 3
    fi
    say "installing ${missing[*]}"
    ( # a subshell, so that its trap puts things back on failure and on Ctrl-C without disturbing the caller's
        policy=/usr/sbin/policy-rc.d
        cluster=/etc/postgresql-common/createcluster.conf
        undo=()
        # shellcheck disable=SC2154 # step is the loop's own
        trap 'for step in "${undo[@]}"; do eval "$step"; done' EXIT
        trap 'exit 130' INT TERM
        # Any file that all share serves as the lock, and an existing one leaves nothing behind.
        exec 7</usr/bin/apt-get
        flock 7

        export DEBIAN_FRONTEND=noninteractive
        # As `systemctl disable` does, which is not everywhere.
        # shellcheck disable=SC2329 # the trap does
        disable_new() { comm -13 <(echo "$before") <(boot_links) | xargs -r rm -f; }
        log=$(mktemp)
        undo+=("rm -f $log")
        apt() { apt-get -o DPkg::Lock::Timeout=300 --no-install-recommends -qqy "$@" >>"$log" 2>&1 7>&-; }
        # The lists are refreshed when the first attempt fails: apt does not know the package, or its mirror dropped that version.
        install() {
            apt install "$@" || { apt update && apt install "$@"; } || { tail -n 40 "$log" >&2 && die "apt-get failed"; }
        }

        before=$(boot_links)
        undo+=(disable_new)
        # One that is there decides itself, unless a run of ours that was killed has left it.
        if [ ! -e $policy ] || grep -q unladen/subjects $policy; then
            undo+=("rm -f $policy")
            printf '#!/bin/sh\n# Temporary, of unladen/subjects: no service starts while packages are installed.\nexit 101\n' >$policy
            chmod 755 $policy
        fi
        if [[ " ${missing[*]} " == *" postgresql "* ]]; then
            # The server's own installation reads this file of postgresql-common, which therefore comes first.
            install postgresql-common
            if [ -e $cluster ]; then
                undo+=("mv -f $cluster.unladen $cluster")
                cp -a $cluster $cluster.unladen
            else
                undo+=("rm -f $cluster")
            fi
            echo 'create_main_cluster = false' >>$cluster
        fi

        install "${missing[@]}"
    )
}

# === The state folder ===

# Can the servers live in this folder? A Unix socket's path ends at 107 characters; workers that are not root must
# get there (`nobody` has no groups that could help); and configuration files need no quoting of such names.
fit() {
    [ ${#1} -le 75 ] && [[ $1 =~ ^[A-Za-z0-9/._+-]+$ ]] && run_as nobody test -x "$1"
}

# Sets STATE to $UNLADEN_STATE/SUBJECT. Where the servers could not live there, that is a link to a folder below /var/tmp.
open_state() {
    local link=$UNLADEN_STATE/$SUBJECT folder
    mkdir -p "$UNLADEN_STATE"
    # Two runs of one subject with one state take turns. The lock is beside the state, as `down --purge` removes that.
    exec 9>"$UNLADEN_STATE/.$SUBJECT.lock"
    flock 9
    if [ -L "$link" ] && [ ! -d "$link" ]; then rm "$link"; fi # /var/tmp was swept
    if [ ! -d "$link" ]; then
        mkdir "$link"
        if ! fit "$(realpath "$link")"; then
            rmdir "$link"
            folder=$(mktemp -d "/var/tmp/unladen-$SUBJECT.XXXXXX")
            chmod 755 "$folder"
            ln -s "$folder" "$link"
        fi
        touch "$link/.unladen"
    fi
    # UNLADEN_STATE=/var/lib would otherwise make the system's own /var/lib/mediawiki ours, to be purged.
    [ -e "$link/.unladen" ] || die "$link exists and is not a state folder of ours"
    STATE=$(realpath "$link")
    mkdir -p "$STATE/log" "$STATE/tmp" "$STATE/daemon"
}

# worker_folders NAME…: folders in the state that belong to the workers, and are closed to other users
worker_folders() {
    local name
    for name; do
        mkdir -p "$STATE/$name"
        chmod 750 "$STATE/$name"
        [ "$UID" -ne 0 ] || chown "$WORKER:" "$STATE/$name"
    done
}

# === Ports ===

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# What holds ports until its input ends, and prints them: those that it is given where they are free, and others for those that are 0.
# A port is held by a Unix socket without a file, whose name only one process can have; the tests hold theirs so too
# (tests/src/port.rs). The range ends below the kernel's ephemeral ports.
# shellcheck disable=SC2016 # of Perl
HOLDER='
use Socket;
$| = 1;
for my $port (@ARGV) {
    while () {
        $port ||= 20000 + int rand 12000;
        socket(my $name, AF_UNIX, SOCK_STREAM, 0) && socket(my $there, AF_INET, SOCK_STREAM, 0) or die "no socket: $!\n";
        setsockopt($there, SOL_SOCKET, SO_REUSEADDR, 1);
        push(@held, $name), last if bind($name, pack_sockaddr_un("\0unladen-port-$port"))
            && bind($there, pack_sockaddr_in($port, INADDR_LOOPBACK)) && listen($there, 1);
        $port = 0;
    }
    print "$port\n";
}
sysread STDIN, my $end, 1;
'

# ports NAME…: sets NAME_PORT to a free port for each, the same as the last time where it is still free. They are nobody else's
# until release_ports, when ours are open: what is done between the two may take its time.
ports() {
    local name port wanted=()
    for name; do wanted+=("$(cat "$STATE/$name.port" 2>/dev/null || echo 0)"); done
    coproc HELD { exec perl -e "$HOLDER" "${wanted[@]}" 3>&- 9>&-; }
    for name; do
        read -r port <&"${HELD[0]}" || die "no port for $name"
        echo "$port" >"$STATE/$name.port"
        printf -v "${name}_PORT" %s "$port"
    done
}
release_ports() {
    local pid=${HELD_PID:-} in=${HELD[1]:-}
    [ -n "$pid" ] || return 0
    exec {in}>&-
    wait "$pid" || :
}
port() { cat "$STATE/$1.port"; }

# === Daemons ===
# $STATE/daemon/NAME holds "PID STARTTIME BOOT EXE" of one that we started. A pid is reused; pid, start time and boot
# together are not. Where another's serves in its place, it holds "borrowed CHECK".

# stat_fields PID: sets STAT to the fields of /proc/PID/stat that follow the name: 0 state, 3 session, 19 start time.
stat_fields() {
    local line
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
    read -ra STAT <<<"${line##*) }"
    [ "${STAT[0]}" != Z ] # a zombie has ended, though a container's init may never reap it
}

# remember NAME PIDFILE: the daemon that has just written PIDFILE. CHILD_EXE (optional) is the program of its children
# where that is another than its own.
remember() {
    local pid=
    # PHP-FPM removes the file before it writes its own.
    # shellcheck disable=SC2329 # wait_for invokes it
    told_pid() { pid=$(head -n 1 "$1" 2>/dev/null) && [ -n "$pid" ]; }
    wait_for 10 told_pid "$2" || die "$1 does not write $2"
    stat_fields "$pid" || die "$1 ended at once"
    echo "$pid ${STAT[19]} $(cat /proc/sys/kernel/random/boot_id) $(readlink "/proc/$pid/exe"):${CHILD_EXE:-}" >"$STATE/daemon/$1"
}

# borrow NAME CHECK: instead of starting the daemon; the subject is up as long as the command CHECK succeeds too
borrow() { echo "borrowed $2" >"$STATE/daemon/$1"; }

# without NAME: the subject is up without this daemon, as it is set now
without() { borrow "$1" :; }

# lent NAME: is it borrowed, and does it serve?
lent() {
    local word check
    { read -r word check <"$STATE/daemon/$1"; } 2>/dev/null && [ "$word" = borrowed ] && "$check"
}

# alive NAME: is it there? Sets PID, START and EXE.
alive() {
    local boot
    PID=0
    { read -r PID START boot EXE <"$STATE/daemon/$1"; } 2>/dev/null || return 1
    [ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ] || { PID=0; return 1; }
    stat_fields "$PID" && [ "${STAT[19]}" = "$START" ]
}

all_alive() {
    local name
    for name in $DAEMONS; do alive "$name" || lent "$name" || return 1; done
}

# members: the processes of daemon PID, which leads a session of its own. They outlive a master that was killed with -9,
# and nginx' orphans then hold its ports. The executable is compared in case PID is by now the session of a stranger.
members() {
    local stat pid exe
    for stat in /proc/[0-9]*/stat; do
        pid=${stat//[^0-9]/}
        if stat_fields "$pid" && [ "${STAT[3]}" = "$PID" ]; then
            exe=$(readlink "/proc/$pid/exe" || :)
            [[ :$EXE: != *":${exe% (deleted)}:"* ]] || echo "$pid"
        fi
    done
}
ended() { [ -z "$(members)" ]; }

# signal_members SIGNAL
signal_members() {
    local pid
    for pid in $(members); do kill "-$1" "$pid" 2>/dev/null || :; done
}

# stop NAME: exactly the processes that we started, and returns when they are gone.
stop() {
    local signal=TERM
    [ "$1" != postgres ] || signal=INT # "fast": TERM would wait for the clients
    if alive "$1"; then
        say "stopping $1"
        kill "-$signal" "$PID" 2>/dev/null || :
    elif [ "$PID" -ne 0 ]; then
        # The master is dead. If its number leads a session of a stranger now, START tells, and nothing there is ours.
        if stat_fields "$PID"; then PID=0; else signal_members TERM; fi
    fi
    if [ "$PID" -ne 0 ] && ! wait_for 10 ended; then
        say "$1 does not end: killing it"
        signal_members KILL
        wait_for 5 ended || die "processes of $1 remain: $(members | tr '\n' ' ')"
    fi
    rm -f "$STATE/daemon/$1"
}
stop_all() {
    local name
    for name in $DAEMONS; do stop "$name"; done
}

# launch NAME PIDFILE COMMAND…: COMMAND goes into the background by itself once it serves. It must inherit nothing:
# a pipe of our caller (stdout as 3, stderr) would keep $(run up) waiting, a lock (9) would never be released.
launch() {
    local name=$1 pidfile=$2
    shift 2
    # From / because a daemon's folder cannot be unmounted, and the caller's may be closed to the worker.
    (cd / && "$@") </dev/null >>"$STATE/log/$name.start.log" 2>&1 3>&- 9>&- || die "$name does not start"
    wait_for 10 test -s "$pidfile" || die "$name does not write $pidfile"
    remember "$name" "$pidfile"
}

# launch_foreground NAME PROGRAM COMMAND…: the same of a PROGRAM that does not go into the background by itself; COMMAND becomes it.
launch_foreground() {
    local name=$1 program
    program=$(realpath "$2")
    shift 2
    rm -f "$STATE/$name.pid"
    # It may still be the shell when it is remembered.
    # shellcheck disable=SC2016 # the inner shell is to expand these
    CHILD_EXE=$program launch "$name" "$STATE/$name.pid" \
        setsid --fork sh -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec "$@"' "$STATE/$name.pid" "$@"
}

# === Programs of this repository ===

# built PACKAGE PROGRAM: where a program is that serves here. Tests say by UNLADEN_BINARY that cargo has built all of the workspace
# already; otherwise it is built, optimised.
built() {
    local told beside=${UNLADEN_BINARY:+${UNLADEN_BINARY%/*}/$2}
    if [ -n "$beside" ] && [ -x "$beside" ]; then
        echo "$beside"
        return
    fi
    # Where cargo puts it depends on the caller's settings; cargo tells.
    told=$(cd "$HERE" && cargo build --release --quiet --locked -p "$1" --message-format=json) || die "$1 does not build"
    grep -o "\"executable\":\"[^\"]*/$2\"" <<<"$told" | cut -d '"' -f 4
}

# === PHP ===

# The newest PHP for FPM that is installed, as 8.2
php_version() {
    local fpm
    fpm=$(find /usr/sbin -name 'php-fpm[0-9]*' | sort -V | tail -n 1)
    echo "${fpm#/usr/sbin/php-fpm}"
}

# fpm_start: a PHP-FPM with one pool behind $STATE/fpm.sock. Settings come from stdin as php.ini lines, into a file
# that is read after the system's own and that an experiment may change (then: `run restart`).
fpm_start() {
    mkdir -p "$STATE/php.d"
    cat >"$STATE/php.d/subject.ini"
    # The log must be the worker's, who opens it.
    touch "$STATE/log/php.log"
    [ "$UID" -ne 0 ] || chown "$WORKER" "$STATE/log/php.log"
    cat >"$STATE/fpm.conf" <<CONF
[global]
pid = $STATE/fpm.pid
error_log = $STATE/log/fpm.log

[$SUBJECT]
listen = $STATE/fpm.sock
listen.owner = $WORKER
listen.group = $(id -gn "$WORKER")
listen.mode = 0600
user = $WORKER
group = $(id -gn "$WORKER")
; A fixed number: workers that come and go would show up as cost of the requests.
pm = static
pm.max_children = ${UNLADEN_WORKERS:-2}
php_admin_flag[log_errors] = on
php_admin_value[error_log] = $STATE/log/php.log
; What a subject itself has to say of the pool.
include = $STATE/pool.conf
CONF
    touch "$STATE/pool.conf"
    fpm_launch
}

# Whether its pool can be connected to, at the socket or the port of its settings.
fpm_listens() {
    local where
    where=$(sed -n 's/^listen = //p' "$STATE/fpm.conf" | tail -n 1)
    case $where in
    /*) test -S "$where" ;;
    *) (exec 3<>"/dev/tcp/${where%:*}/${where##*:}") 2>/dev/null ;;
    esac
}

# In the foreground, as its unit of systemd has it: one in the background has another number after each USR2, which fixes
# print.
fpm_launch() {
    local fpm
    fpm=/usr/sbin/php-fpm$(php_version)
    rm -f "$STATE/fpm.sock"
    # An empty entry in PHP_INI_SCAN_DIR is the system's folder.
    launch_foreground fpm "$fpm" env PHP_INI_SCAN_DIR=":$STATE/php.d" "$fpm" -F -y "$STATE/fpm.conf"
    wait_for 10 fpm_listens || die "PHP-FPM does not listen: $(tail -n 5 "$STATE/log/fpm.start.log")"
}

# === nginx ===

# nginx_start [NAME [USER]]: an nginx of our own with the servers that stdin describes. A subject that has several starts the one
# without a name last: it is the one in front, and with it the ports are taken. Its worker is of another USER where we may choose.
nginx_start() {
    local name=${1:-nginx} user=${2:-$WORKER}
    mkdir -p "$STATE/conf.d"
    # Left behind after kill -9, a socket would make nginx refuse to start; ours have ended by now.
    [ "$name" != nginx ] || find "$STATE" -maxdepth 1 -name 'http*.sock' -delete
    cat >"$STATE/$name.conf" <<CONF
$([ "$UID" -ne 0 ] || echo "user $user $(id -gn "$user");")
# One worker is plenty in front of a few PHP workers, and keeps the counts of an idle machine low.
worker_processes 1;
pid $STATE/$name.pid;
error_log $STATE/log/$name.error.log;
events { worker_connections 4096; }
worker_rlimit_nofile 8192;
http {
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    access_log $STATE/log/$name.access.log;
    client_body_temp_path $STATE/tmp/$name-body;
    fastcgi_temp_path $STATE/tmp/$name-fastcgi;
    proxy_temp_path $STATE/tmp/$name-proxy;
    scgi_temp_path $STATE/tmp/$name-scgi;
    uwsgi_temp_path $STATE/tmp/$name-uwsgi;
    sendfile on;
    tcp_nopush on;
    server_tokens off;
    # The default of 1,000 would put a new connection into every long measurement.
    keepalive_requests 100000;
    keepalive_timeout 75s;
    # In place of /etc/nginx/conf.d, for who tries printed settings.
    include $STATE/conf.d/*.conf;
$(cat)
}
CONF
    # -e: until it has read its configuration, nginx would write to the system's own log.
    # The process that we start ends before the daemon has written its pid: the file of an earlier one must not be taken for it.
    rm -f "$STATE/$name.pid"
    launch "$name" "$STATE/$name.pid" /usr/sbin/nginx -e "$STATE/log/$name.error.log" -c "$STATE/$name.conf"
    [ "$name" != nginx ] || release_ports
}

# http_status URL [CURL OPTION…]: 000 when nobody answers
http_status() { curl -s -o /dev/null -m 60 -w '%{http_code}' "${@:2}" "$1" || :; }

# expect STATUS URL: the subject is up when this passes. The log's end is shown by up_failed.
expect() {
    local status
    status=$(http_status "$2")
    [ "$status" = "$1" ] || die "$2 answers $status, not $1"
}

# === Commands ===

up_failed() {
    local status=$? log
    trap - EXIT
    [ "$status" -ne 0 ] || return 0
    for log in "$STATE"/log/*; do
        [ ! -s "$log" ] || { echo "--- the end of $log"; tail -n 15 "$log"; } >&2
    done
    stop_all
    exit "$status"
}

up() {
    packages
    open_state
    if ! all_alive; then
        trap up_failed EXIT
        trap 'exit 130' INT TERM
        stop_all # what is left of a crash
        find "$STATE/log" -type f -delete
        start
        trap - EXIT
    fi
    url >&3
}

down() {
    # Without a state there is nothing to stop, nor a reason to leave an empty folder.
    [ -e "$UNLADEN_STATE/$SUBJECT" ] || [ -L "$UNLADEN_STATE/$SUBJECT" ] || return 0
    open_state
    stop_all
    if [ "${1:-}" = --purge ]; then
        rm -rf "$STATE"
        rm -rf "${UNLADEN_STATE:?}/$SUBJECT"
    fi
}

# A new PHP-FPM with the settings of now; the web server goes on. Its own way to read them anew (USR2) leaves the old one's
# workers serving for a moment.
restart_fpm() {
    stop fpm
    fpm_launch
}

restart() {
    local how
    if declare -F restart_daemon >/dev/null; then
        how=restart_daemon
    elif [[ " $DAEMONS " = *' fpm '* ]]; then
        how=restart_fpm
    else
        say "has nothing to restart"
        exit 2
    fi
    reading : # ends here if it is down
    open_state
    "$how"
}

# reading COMMAND: for what only looks: no state is made
reading() {
    STATE=$(realpath -e "$UNLADEN_STATE/$SUBJECT" 2>/dev/null || :)
    if [ ! -e "$STATE/.unladen" ] || ! all_alive; then
        say "is down"
        exit 3
    fi
    "$@" >&3
}

status() {
    local name
    for name in $DAEMONS; do
        if alive "$name"; then echo "$name $PID"; fi
    done
    url
}

env_all() {
    echo "URL=$(url)"
    echo "STATE=$STATE"
    if declare -F env_lines >/dev/null; then env_lines; fi
}

usage() {
    # The head of the subject's own file says what it is.
    sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0" >&3
    cat >&3 <<'TEXT'

run up              starts it, installing what is missing; prints its URL, and only that, on stdout
run down [--purge]  stops it; with --purge forgets its data too
run url             prints its URL
run restart         starts the application (PHP, Perl) anew, so that it reads its settings; only where there is one
run env             prints KEY=value lines, URL and STATE (its folder) among them
run status          prints its processes; ends with 3 when it is down
TEXT
}

main() {
    exec 3>&1 1>&2
    case ${1:-help} in
        up) up ;;
        down) down "${2:-}" ;;
        restart) restart ;;
        url) reading url ;;
        env) reading env_all ;;
        status) reading status ;;
        help | -h | --help) usage ;;
        *) say "no such command: $1 (see: $0 help)"; exit 2 ;;
    esac
}
