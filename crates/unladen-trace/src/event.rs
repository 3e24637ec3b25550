//! The principal type is [`Event`]: one thing that a followed process did.
//!
//! Events come from a tracer, and are evaluated in `Assembly`. Times are of CLOCK_MONOTONIC, in ns.

/// One thing that a process did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// At the return of the call; for close, before it, as the descriptor is gone afterwards.
    pub at_ns: u64,
    pub pid: u32,
    pub tid: u32,
    /// Index of the process's group, as given when tracing began; children inherit it.
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
        /// As the process gave it, at most [`MAX_PATH`] bytes; `.` for fchdir, whose descriptor is `folder`.
        path: Vec<u8>,
        /// The second path of link and rename.
        target: Option<Vec<u8>>,
        /// The descriptor that a relative path starts at; `None` for the working folder.
        folder: Option<i32>,
        /// A descriptor (open), else 0; or −errno.
        result: i32,
        /// From call to return, ns, including tracing.
        took_ns: u64,
    },
    Transfer {
        way: Way,
        fd: i32,
        object: Object,
        /// Number of bytes, or −errno.
        result: i64,
        /// The first bytes sent, at most [`MAX_PAYLOAD`], or the last received, at most [`MAX_TAIL`]. Empty for reads
        /// from files.
        payload: Vec<u8>,
        took_ns: u64,
    },
    /// So many rows of a result began in what MySQL's client received last, or a result ended there.
    Rows {
        socket: Socket,
        rows: u64,
    },
    Connect {
        fd: i32,
        socket: Socket,
        /// 0 or −errno; EINPROGRESS usually begins a connection without waiting.
        result: i32,
        took_ns: u64,
    },
    /// A requested TCP connection is established.
    Established {
        socket: Socket,
        /// Since the request, ns: a round trip.
        took_ns: u64,
    },
    /// A descriptor of a socket or a regular file was closed. If it had been duplicated, the socket may live on.
    Close {
        fd: i32,
        socket: Option<Socket>,
    },
    /// A lock was requested or released.
    Lock {
        call: LockCall,
        fd: i32,
        /// The file's name, without folders.
        name: Vec<u8>,
        unlock: bool,
        /// 0 or −errno.
        result: i32,
        /// From call to return: the wait, ns.
        took_ns: u64,
    },
    /// The process waited for time to pass, and for nothing else.
    Sleep {
        took_ns: u64,
    },
    Fork {
        child: u32,
    },
    Exec {
        path: Vec<u8>,
    },
    /// The process ended; CPU time in ns since it or tracing began.
    Exit {
        cpu_ns: u64,
    },
    Compile {
        language: Language,
        /// The file, if the language's own function names it.
        path: Option<Vec<u8>>,
        took_ns: u64,
        /// Inside another compilation of the same thread, whose time includes it.
        nested: bool,
    },
    SqlitePrepare {
        /// Handle of the prepared statement until it is finalised; 0 if SQLite refused the text.
        statement: u64,
        /// At most [`MAX_PAYLOAD`] bytes.
        sql: Vec<u8>,
        took_ns: u64,
    },
    /// SQLite was asked for the next row.
    SqliteStep {
        statement: u64,
        /// There was one; otherwise the statement is done.
        row: bool,
        took_ns: u64,
    },
    /// A prepared statement of SQLite was reset to its beginning.
    SqliteReset {
        statement: u64,
    },
}

/// Longest path kept, in bytes; longer ones are cut.
pub const MAX_PATH: usize = 512;
/// Most bytes kept of what is sent.
pub const MAX_PAYLOAD: usize = 4096;
/// Most bytes kept of what is received.
pub const MAX_TAIL: usize = 64;

/// Languages with traced compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// `compile_file`.
    Php,
    /// `Perl_yyparse`.
    Perl,
    /// Source and byte-code files that are opened.
    Python,
}

/// What was traced since the last batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Oldest first.
    pub events: Vec<Event>,
    pub counts: Vec<Count>,
    pub lost: u64,
}

/// System calls that name a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileCall {
    /// stat, lstat, newfstatat, statx.
    Stat,
    /// access, faccessat.
    Access,
    Open,
    /// open for writing, or creating.
    OpenWrite,
    /// open that must create the file (`O_CREAT | O_EXCL`), as for lock files and temporary files.
    Create,
    Readlink,
    /// link, symlink.
    Link,
    Unlink,
    Rename,
    /// mkdir, rmdir.
    Folder,
    Chdir,
    /// chmod, chown, truncate, utimens.
    Change,
}

impl FileCall {
    /// Whether it returns a descriptor.
    pub fn opens(self) -> bool {
        matches!(self, Self::Open | Self::OpenWrite | Self::Create)
    }
}

/// Calls that lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockCall {
    Flock,
    /// fcntl(2): F_SETLK and its kind.
    Fcntl,
}

/// The direction of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// read, recv and their kind.
    In,
    /// write, send and their kind.
    Out,
}

/// A count made in the kernel, by process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Count {
    pub group: u32,
    pub pid: u32,
    pub of: Countable,
    pub times: u64,
    /// Total, ns.
    pub time_ns: u64,
}

/// What is counted in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Countable {
    /// A system call that returned.
    Syscall {
        /// This machine's number of it.
        number: u32,
        /// 0, or the error's number.
        errno: u16,
    },
    /// A look-up of a class in PHP (`zend_lookup_class_ex`).
    ClassLookup,
    /// On-CPU time: only `time_ns` counts.
    Cpu,
}

/// The object behind a descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    /// A file, by its name without folders.
    File(Vec<u8>),
    Socket(Socket),
    Pipe,
    /// Anything else: terminals, event counters.
    Other,
}

/// A socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Socket {
    /// Identifies it while it is open.
    pub id: u64,
    /// Whether messages are kept apart.
    pub datagram: bool,
    /// Whether this end accepted the connection, so that the peer is a client. Recognised by a port at which the
    /// process listened when it was first followed; for a Unix socket by having a name while its peer has none.
    pub accepted: bool,
    pub peer: Peer,
}

/// The other end of a socket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer {
    Ip(std::net::SocketAddr),
    /// A path; an abstract one begins with `@`. Empty if the peer has no name.
    Unix(Vec<u8>),
    Unknown,
}
