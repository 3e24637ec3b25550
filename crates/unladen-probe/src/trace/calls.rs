//! How system calls that become events are read. The principal type is [`Call`]; [`CALLS`] is the list.
//!
//! Unlisted calls are still counted.

use nix::libc::{self, c_long};
use unladen_trace::FileCall;

#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) number: c_long,
    pub(super) reads: Reads,
}

/// What is read of it; arguments are numbered from 0.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reads {
    Path {
        call: Opens,
        /// `None` if the folder's descriptor is the path.
        path: Option<u8>,
        target: Option<u8>,
        folder: Option<u8>,
    },
    /// Bytes, and where the address is, if one can be given.
    Transfer {
        out: bool,
        shape: Shape,
        address: Option<u8>,
    },
    Connect,
    Flock,
    Fcntl,
    Sleep(Waits),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Opens {
    Always(FileCall),
    ByFlags(u8),
    /// The flags are in a structure behind the third argument; the kernel's part puts them in its place.
    ByFlagsBehind,
}

/// How the bytes are given; as in bpf/calls.bpf.c.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Nowhere = 0,
    Buffer = 1,
    Pieces = 2,
    Message = 3,
    Messages = 4,
}

/// When a call is a sleep; as in bpf/calls.bpf.c.
#[derive(Debug, Clone, Copy)]
pub(super) enum Waits {
    Always = 0,
    Select = 1,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "poll is an old call"))]
    Poll = 2,
    Ppoll = 3,
}

/// Flags of open that create only new files.
const EXCLUSIVE: i32 = libc::O_CREAT | libc::O_EXCL;

pub(super) fn open_kind(flags: u64) -> FileCall {
    // Flags are 32 bits wide, except in openat2, whose upper bits are not needed.
    let flags = flags as u32 as i32;
    if flags & EXCLUSIVE == EXCLUSIVE {
        FileCall::Create
    } else if flags & (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC) != 0 {
        FileCall::OpenWrite
    } else {
        FileCall::Open
    }
}

const fn path(number: c_long, call: FileCall, folder: Option<u8>, path: u8) -> Call {
    Call { number, reads: Reads::Path { call: Opens::Always(call), path: Some(path), target: None, folder } }
}

const fn paths(number: c_long, call: FileCall, folder: Option<u8>, path: u8, target: u8) -> Call {
    Call { number, reads: Reads::Path { call: Opens::Always(call), path: Some(path), target: Some(target), folder } }
}

const fn opens(number: c_long, call: Opens, folder: Option<u8>, path: u8) -> Call {
    Call { number, reads: Reads::Path { call, path: Some(path), target: None, folder } }
}

const fn moves(number: c_long, out: bool, shape: Shape, address: Option<u8>) -> Call {
    Call { number, reads: Reads::Transfer { out, shape, address } }
}

const fn other(number: c_long, reads: Reads) -> Call {
    Call { number, reads }
}

/// Calls of every processor architecture.
const COMMON: &[Call] = &[
    path(libc::SYS_newfstatat, FileCall::Stat, Some(0), 1),
    path(libc::SYS_statx, FileCall::Stat, Some(0), 1),
    path(libc::SYS_faccessat, FileCall::Access, Some(0), 1),
    path(libc::SYS_faccessat2, FileCall::Access, Some(0), 1),
    opens(libc::SYS_openat, Opens::ByFlags(2), Some(0), 1),
    opens(libc::SYS_openat2, Opens::ByFlagsBehind, Some(0), 1),
    path(libc::SYS_readlinkat, FileCall::Readlink, Some(0), 1),
    paths(libc::SYS_linkat, FileCall::Link, Some(0), 1, 3),
    // A symbolic link's target is the first argument; the link made is the other.
    paths(libc::SYS_symlinkat, FileCall::Link, None, 0, 2),
    path(libc::SYS_unlinkat, FileCall::Unlink, Some(0), 1),
    paths(libc::SYS_renameat, FileCall::Rename, Some(0), 1, 3),
    paths(libc::SYS_renameat2, FileCall::Rename, Some(0), 1, 3),
    path(libc::SYS_mkdirat, FileCall::Folder, Some(0), 1),
    path(libc::SYS_chdir, FileCall::Chdir, None, 0),
    other(
        libc::SYS_fchdir,
        Reads::Path { call: Opens::Always(FileCall::Chdir), path: None, target: None, folder: Some(0) },
    ),
    path(libc::SYS_fchmodat, FileCall::Change, Some(0), 1),
    path(libc::SYS_fchownat, FileCall::Change, Some(0), 1),
    path(libc::SYS_truncate, FileCall::Change, None, 0),
    path(libc::SYS_utimensat, FileCall::Change, Some(0), 1),
    moves(libc::SYS_read, false, Shape::Buffer, None),
    moves(libc::SYS_pread64, false, Shape::Buffer, None),
    moves(libc::SYS_readv, false, Shape::Pieces, None),
    moves(libc::SYS_preadv, false, Shape::Pieces, None),
    moves(libc::SYS_recvfrom, false, Shape::Buffer, Some(4)),
    moves(libc::SYS_recvmsg, false, Shape::Message, None),
    moves(libc::SYS_recvmmsg, false, Shape::Messages, None),
    moves(libc::SYS_write, true, Shape::Buffer, None),
    moves(libc::SYS_pwrite64, true, Shape::Buffer, None),
    moves(libc::SYS_writev, true, Shape::Pieces, None),
    moves(libc::SYS_pwritev, true, Shape::Pieces, None),
    moves(libc::SYS_sendto, true, Shape::Buffer, Some(4)),
    moves(libc::SYS_sendmsg, true, Shape::Message, None),
    moves(libc::SYS_sendmmsg, true, Shape::Messages, None),
    moves(libc::SYS_sendfile, true, Shape::Nowhere, None),
    other(libc::SYS_connect, Reads::Connect),
    other(libc::SYS_flock, Reads::Flock),
    other(libc::SYS_fcntl, Reads::Fcntl),
    other(libc::SYS_nanosleep, Reads::Sleep(Waits::Always)),
    other(libc::SYS_clock_nanosleep, Reads::Sleep(Waits::Always)),
    other(libc::SYS_pselect6, Reads::Sleep(Waits::Select)),
    other(libc::SYS_ppoll, Reads::Sleep(Waits::Ppoll)),
];

/// Calls that newer architectures lack.
#[cfg(target_arch = "x86_64")]
const OLD: &[Call] = &[
    path(libc::SYS_stat, FileCall::Stat, None, 0),
    path(libc::SYS_lstat, FileCall::Stat, None, 0),
    path(libc::SYS_access, FileCall::Access, None, 0),
    opens(libc::SYS_open, Opens::ByFlags(1), None, 0),
    path(libc::SYS_creat, FileCall::OpenWrite, None, 0),
    path(libc::SYS_readlink, FileCall::Readlink, None, 0),
    paths(libc::SYS_link, FileCall::Link, None, 0, 1),
    paths(libc::SYS_symlink, FileCall::Link, None, 0, 1),
    path(libc::SYS_unlink, FileCall::Unlink, None, 0),
    paths(libc::SYS_rename, FileCall::Rename, None, 0, 1),
    path(libc::SYS_mkdir, FileCall::Folder, None, 0),
    path(libc::SYS_rmdir, FileCall::Folder, None, 0),
    path(libc::SYS_chmod, FileCall::Change, None, 0),
    path(libc::SYS_chown, FileCall::Change, None, 0),
    path(libc::SYS_lchown, FileCall::Change, None, 0),
    path(libc::SYS_utime, FileCall::Change, None, 0),
    path(libc::SYS_utimes, FileCall::Change, None, 0),
    other(libc::SYS_select, Reads::Sleep(Waits::Select)),
    other(libc::SYS_poll, Reads::Sleep(Waits::Poll)),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[Call] = &[];

pub(super) fn all() -> impl Iterator<Item = &'static Call> {
    COMMON.iter().chain(OLD)
}

impl Call {
    /// `struct call` in bpf/calls.bpf.c.
    pub(super) fn raw(&self) -> [u8; 4] {
        const NO_ARGUMENT: u8 = 0xff;
        match self.reads {
            Reads::Path { call, path, target, .. } => [
                kind::PATH,
                u8::from(matches!(call, Opens::ByFlagsBehind)),
                path.unwrap_or(NO_ARGUMENT),
                target.unwrap_or(NO_ARGUMENT),
            ],
            Reads::Transfer { out, shape, address } => {
                [kind::TRANSFER, shape as u8, u8::from(out), address.unwrap_or(NO_ARGUMENT)]
            }
            Reads::Connect => [kind::CONNECT, 0, 0, 0],
            Reads::Flock => [kind::LOCK, 0, 0, 0],
            Reads::Fcntl => [kind::LOCK, 1, 0, 0],
            Reads::Sleep(waits) => [kind::SLEEP, waits as u8, 0, 0],
        }
    }
}

/// Kinds of records: `enum kind` in bpf/record.h.
pub(super) mod kind {
    pub(in crate::trace) const PATH: u8 = 1;
    pub(in crate::trace) const TRANSFER: u8 = 2;
    pub(in crate::trace) const CONNECT: u8 = 3;
    pub(in crate::trace) const CLOSE: u8 = 4;
    pub(in crate::trace) const LOCK: u8 = 5;
    pub(in crate::trace) const SLEEP: u8 = 6;
    pub(in crate::trace) const FORK: u8 = 7;
    pub(in crate::trace) const EXEC: u8 = 8;
    pub(in crate::trace) const EXIT: u8 = 9;
    pub(in crate::trace) const ESTABLISHED: u8 = 10;
    pub(in crate::trace) const COMPILE: u8 = 11;
    pub(in crate::trace) const PREPARE: u8 = 12;
    pub(in crate::trace) const STEP: u8 = 13;
    pub(in crate::trace) const RESET: u8 = 14;
    pub(in crate::trace) const ROWS: u8 = 15;
}
