# shellcheck shell=bash
# flags.sh: sourced by what builds for others: the same sources give the same bytes, wherever and whenever they are built.
# Sets RUSTFLAGS and CFLAGS (no path of this machine), SOURCE_DATE_EPOCH (the commit's time), UNLADEN_COMMIT and
# UNLADEN_COMMIT_DATE (what `unladen --version` says). What is set already stays: an unpacked archive has no commit.
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
export RUSTFLAGS CFLAGS
