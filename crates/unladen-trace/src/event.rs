//! The principal type is [`Event`]: one thing that a followed process did.
//!
//! Whoever traces makes them; what is made of them is in `Assembly`. Times are of CLOCK_MONOTONIC, in ns.

mod batch;
mod call;
mod count;
mod object;

pub use batch::Batch;
pub use call::{FileCall, LockCall, Way};
pub use count::{Count, Countable};
pub use object::{Object, Peer, Socket};

/// One thing that a process did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When it was done: at the return of the call; of close, before it, as the descriptor is gone afterwards.
    pub at_ns: u64,
    /// The process.
    pub pid: u32,
    /// Its thread.
    pub tid: u32,
    /// Index of the group that the process belongs to, as given when tracing began; children inherit it.
    pub group: u32,
    pub what: What,
}

/// What a process can do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// A system call that names a file.
    File {
        call: FileCall,
        /// The path as the process gave it, at most [`MAX_PATH`] bytes; `.` of fchdir, whose descriptor is `folder`.
        path: Vec<u8>,
        /// The second path of link and rename.
        target: Option<Vec<u8>>,
        /// The descriptor that a relative path starts at; `None`: the working folder.
        folder: Option<i32>,
        /// A descriptor (open), else 0; or −errno.
        result: i32,
        /// From call to return, ns, tracing's own part included.
        took_ns: u64,
    },
    /// Bytes went through a descriptor.
    Transfer {
        way: Way,
        /// The descriptor.
        fd: i32,
        /// What stands behind it.
        object: Object,
        /// Bytes that went, or −errno.
        result: i64,
        /// Sent: the first bytes, at most [`MAX_PAYLOAD`]. Received: the last, at most [`MAX_TAIL`]. Empty for what is
        /// read from files.
        payload: Vec<u8>,
        /// From call to return, ns.
        took_ns: u64,
    },
    /// A connection was asked for.
    Connect {
        /// The descriptor.
        fd: i32,
        /// The socket behind it.
        socket: Socket,
        /// 0 or −errno; EINPROGRESS is the usual beginning of a connection that is not waited for.
        result: i32,
        /// From call to return, ns.
        took_ns: u64,
    },
    /// A TCP connection that was asked for stands.
    Established {
        socket: Socket,
        /// Since it was asked for, ns: a round trip.
        took_ns: u64,
    },
    /// A descriptor of a socket or a regular file was closed. Where it had been duplicated, the socket may live on.
    Close {
        /// The descriptor.
        fd: i32,
        /// The socket that stood behind it.
        socket: Option<Socket>,
    },
    /// A lock was asked for.
    Lock {
        call: LockCall,
        /// The descriptor.
        fd: i32,
        /// The file's own name, without folders.
        name: Vec<u8>,
        /// Whether it was given back rather than taken.
        unlock: bool,
        /// 0 or −errno.
        result: i32,
        /// From call to return: the wait, ns.
        took_ns: u64,
    },
    /// The process waited for time to pass, and for nothing else.
    Sleep {
        /// From call to return, ns.
        took_ns: u64,
    },
    /// A child was started.
    Fork {
        /// Its process id.
        child: u32,
    },
    /// The process became another program.
    Exec {
        /// The program's path.
        path: Vec<u8>,
    },
    /// The process ended; its CPU time since it was started or since tracing began, ns.
    Exit { cpu_ns: u64 },
    /// A source file was compiled.
    Compile {
        language: Language,
        /// The file, where the language's own function tells it.
        path: Option<Vec<u8>>,
        /// From begin to end, ns.
        took_ns: u64,
        /// It happened inside another compilation of the same thread: its time is in that one's.
        nested: bool,
    },
    /// SQLite was given a statement.
    SqlitePrepare {
        /// Stands for the prepared statement until it is finalised; 0 where SQLite refused the text.
        statement: u64,
        /// Its text, at most [`MAX_PAYLOAD`] bytes.
        sql: Vec<u8>,
        /// From call to return, ns.
        took_ns: u64,
    },
    /// SQLite was asked for the next row.
    SqliteStep {
        /// The prepared statement.
        statement: u64,
        /// There was one; otherwise the statement is done.
        row: bool,
        /// From call to return, ns.
        took_ns: u64,
    },
    /// A prepared statement of SQLite was put back to its beginning.
    SqliteReset {
        /// The prepared statement.
        statement: u64,
    },
}

/// Longest path that is kept, in bytes; what is longer is cut.
pub const MAX_PATH: usize = 512;
/// Most bytes that are kept of what is sent.
pub const MAX_PAYLOAD: usize = 4096;
/// Most bytes that are kept of what is received.
pub const MAX_TAIL: usize = 64;

/// Languages whose compilers are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// PHP: `compile_file`.
    Php,
    /// Perl: `Perl_yyparse`.
    Perl,
    /// Python: source and byte-code files that are opened.
    Python,
}
