# shellcheck shell=bash
# A PostgreSQL of a subject's own, that only this machine's processes can reach. A subject that has one sources this file after lib.sh,
# names its database in DATABASE, and defines
#
#   data_version()      prints what changes when the data has to be written anew
#   fill_database()     makes and fills the database; calls `sql`
#   cluster_settings()  (optional) changes the files of a new cluster, in $CLUSTER
#
# and calls start_postgres, with POSTGRES_OPTIONS (optional): what follows its folder of sockets on its command line. The server is the
# daemon `postgres`, its socket is in $STATE/socket.

# The newest PostgreSQL that is installed, as /usr/lib/postgresql/15
postgres_home() { find /usr/lib/postgresql -mindepth 1 -maxdepth 1 | sort -V | tail -n 1; }

create_cluster() {
    say "creating the database"
    rm -rf "$CLUSTER"
    install -d -m 700 -o "$OWNER" "$CLUSTER"
    run_as "$OWNER" "$BIN/initdb" -D "$CLUSTER" --auth=peer --locale=C.UTF-8 --encoding=UTF8 --no-sync >"$STATE/log/initdb.log" 2>&1
    cat >>"$CLUSTER/postgresql.conf" <<CONF
listen_addresses = ''
shared_buffers = 32MB
max_connections = 50
# A subject's data is worth nothing: it need not survive the loss of power, and no disk should be heard in a measurement.
fsync = off
synchronous_commit = off
full_page_writes = off
CONF
    ! declare -F cluster_settings >/dev/null || cluster_settings
}

sql() { run_as "$OWNER" "$BIN/psql" -X -q -v ON_ERROR_STOP=1 -h "$STATE/socket" -d "$@" >>"$STATE/log/seed.log" 2>&1; }

# Its processes are those that work in its folder.
cluster_idle() { [ -z "$(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$CLUSTER" 2>/dev/null || :)" ]; }

start_postgres() {
    local home
    home=$(postgres_home)
    BIN=$home/bin
    CLUSTER=$STATE/postgres-${home##*/}
    if [ "$UID" -eq 0 ]; then OWNER=${UNLADEN_USER:-postgres}; else OWNER=$(id -un); fi
    # A half-filled one is made again, and so is one of another version of PostgreSQL or of the subject's files.
    if [ "$(cat "$STATE/postgres.filled" 2>/dev/null)" != "$(data_version)" ] || [ ! -d "$CLUSTER" ]; then
        rm -f "$STATE/postgres.filled"
        create_cluster
    fi
    install -d -m 755 -o "$OWNER" "$STATE/socket"
    install -m 600 -o "$OWNER" /dev/null "$STATE/log/postgres.log"
    # After kill -9, its lock files name a process that may seem to be alive: a zombie, or a stranger with that number.
    # That the postmaster has ended is known here; its children follow it on their own.
    wait_for 10 cluster_idle || die "processes of an earlier PostgreSQL remain in $CLUSTER"
    rm -f "$CLUSTER/postmaster.pid" "$STATE"/socket/.s.PGSQL.*
    launch postgres "$CLUSTER/postmaster.pid" run_as "$OWNER" "$BIN/pg_ctl" -D "$CLUSTER" -l "$STATE/log/postgres.log" \
        -o "-k $STATE/socket${POSTGRES_OPTIONS:-}" -w -t 30 start
    if [ ! -e "$STATE/postgres.filled" ]; then
        fill_database
        data_version >"$STATE/postgres.filled"
    fi
}
