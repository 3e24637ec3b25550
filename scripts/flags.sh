# shellcheck shell=bash
# flags.sh: sourced by what builds for others: the same sources give the same bytes, wherever and whenever they are built.
# Sets RUSTFLAGS and CFLAGS (no path of this machine), SOURCE_DATE_EPOCH (the commit's time), UNLADEN_COMMIT and
# UNLADEN_COMMIT_DATE (what `unladen --version` says). What is set already stays: an unpacked archive has no commit.
# `build ARGUMENT…` is cargo build, by cargo-auditable: the program carries the list of its crates (a section of 2 to 5 KB), so that
# `cargo audit bin`, Trivy, Grype and the like tell what became known of them since. It is built once, into target/tools.
# Expects to be sourced in the sources' top folder, with `target` set to the folder that is built in.

: "${target:?flags.sh: the folder that is built in}"
# Only a repository of its own: an unpacked archive may lie within another one.
if [[ -e .git ]] && command -v git >/dev/null; then
    : "${UNLADEN_COMMIT:=$(git rev-parse HEAD)$(git diff --quiet HEAD -- || echo +changes)}"
    : "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
fi
: "${SOURCE_DATE_EPOCH:=0}"
if [[ -n ${UNLADEN_COMMIT:-} ]]; then
    : "${UNLADEN_COMMIT_DATE:=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)}"
    export UNLADEN_COMMIT UNLADEN_COMMIT_DATE
fi
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC

# remap FROM TO: for Rust's messages of panics, and for __FILE__ of the libraries in C
remap() {
    RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$1=$2"
    CFLAGS="${CFLAGS:-} -ffile-prefix-map=$1=$2"
}
# The last one that fits counts for rustc: from the widest to the narrowest.
remap "$(realpath "${CARGO_HOME:-$HOME/.cargo}")" /cargo
remap "$PWD" /unladen
remap "$(realpath -m "$target")" /target
# Where the sources of Rust's own library are installed, their places are this machine's.
remap "$(rustc --print sysroot)/lib/rustlib/src/rust" "/rustc/$(rustc -vV | sed -n 's/^commit-hash: //p')"
# No panic comes through the libraries in C: tables to unwind them by would only be carried.
CFLAGS="$CFLAGS -fno-asynchronous-unwind-tables -fno-unwind-tables"
export RUSTFLAGS CFLAGS

CARGO_AUDITABLE=0.7.7
build() {
    local folder=$target/tools/cargo-auditable-$CARGO_AUDITABLE
    if [[ ! -x $folder/bin/cargo-auditable ]]; then
        echo "building cargo-auditable $CARGO_AUDITABLE (a minute, once)" >&2
        # As any program of this machine: none of what is set above is for it.
        env -u RUSTFLAGS -u CFLAGS CARGO_TARGET_DIR="$folder.build" \
            cargo install --quiet --locked --root "$folder" "cargo-auditable@$CARGO_AUDITABLE" >&2
        rm -rf "$folder.build"
    fi
    PATH=$folder/bin:$PATH cargo auditable build "$@"
}
