//! Bodies that wait: a request's until it is whole, so that a slow client takes no application connection; an answer's
//! until its client has taken it. The principal types are [`Spool`], one such body, and [`Spools`], the bounds of all
//! of a listener's.
//!
//! A body starts in memory; beyond its part it goes to an unnamed file, which is gone with this process.

mod spools;

use std::fs::{File, OpenOptions};
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use nix::libc;
use tokio::task::JoinHandle;

use self::spools::Held;
use crate::limits::budget;
use crate::limits::budget::Share;

pub(crate) use self::spools::Spools;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SpoolError {
    /// All the room for files is taken.
    #[error("`buffer.disk` is used up")]
    NoRoom,
    #[error("{0}")]
    Disk(#[from] std::io::Error),
}

/// Bytes written to a file, or read from it, at a time …
const BLOCK: usize = 64 * 1024;
/// … and without room for that: memory for a body that is not counted.
const SMALL_BLOCK: usize = 4 * 1024;
/// Least bytes of a file.
pub(crate) const LEAST_ON_DISK: u64 = SMALL_BLOCK as u64;
/// Memory is first taken in this many bytes, doubled each time.
const FIRST: usize = 4 * 1024;

/// A waiting body: its beginning in memory, the rest in a file, and its end in memory until written there.
#[derive(Debug)]
pub(crate) struct Spool {
    spools: Arc<Spools>,
    start: Vec<u8>,
    of_memory: Held,
    /// Memory of its client, and what this holds of it.
    share: Option<Arc<Share>>,
    of_share: Option<budget::Held>,
    /// Client whose share of the disk it is bound by; `None` if clients cannot be told apart.
    client: Option<IpAddr>,
    tail: Option<Box<Tail>>,
    read: u64,
    length: u64,
}

#[derive(Debug)]
struct Tail {
    file: Scrap,
    /// Bytes in the file, including those being written.
    written: u64,
    /// Bytes after those: at most a block.
    end: Vec<u8>,
    /// Block read last, and its offset in the file.
    block: Vec<u8>,
    block_at: u64,
    job: Job,
    size: usize,
    is_broken: bool,
    of_disk: Held,
    of_client: Option<Held>,
    /// Keeps the blocks' memory counted.
    _of_memory: Held,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    None,
    Write,
    /// Offset.
    Read(u64),
}

impl Spool {
    pub(crate) fn new(spools: &Arc<Spools>) -> Self {
        let of_memory = Held::none(&spools.memory);
        Self {
            spools: spools.clone(),
            start: Vec::new(),
            of_memory,
            share: None,
            of_share: None,
            client: None,
            tail: None,
            read: 0,
            length: 0,
        }
    }

    /// Bounds its memory by this client's share.
    pub(crate) fn of(self, share: Option<&Arc<Share>>) -> Self {
        Self { share: share.cloned(), ..self }
    }

    /// Bounds its part of the disk by this client's share.
    pub(crate) fn for_client(self, client: Option<IpAddr>) -> Self {
        Self { client, ..self }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn is_read(&self) -> bool {
        self.read == self.length
    }

    /// Appends some bytes, and returns how many. Waits only for a disk.
    pub(crate) fn poll_push(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SpoolError>> {
        let taken = match &mut self.tail {
            None => {
                let count = self.push_to_memory(data);
                if count == 0 && !data.is_empty() {
                    let tail = self.tail.insert(Box::new(Tail::new(&self.spools, self.client)));
                    ready!(tail.poll_push(cx, &self.spools, data))?
                } else {
                    count
                }
            }
            Some(tail) => ready!(tail.poll_push(cx, &self.spools, data))?,
        };
        self.length += taken as u64;
        Poll::Ready(Ok(taken))
    }

    fn push_to_memory(&mut self, data: &[u8]) -> usize {
        let most = self.spools.settings.memory;
        let mut room = self.start.capacity() - self.start.len();
        if room < data.len() && self.start.capacity() < most {
            let wanted = (self.start.len() + data.len()).next_power_of_two().clamp(FIRST.min(most), most);
            if self.has_share(wanted) && self.of_memory.grow(wanted as u64) {
                self.hold(wanted);
                self.start.reserve_exact(wanted - self.start.len());
                room = wanted - self.start.len();
            }
        }
        let count = data.len().min(room);
        self.start.extend_from_slice(&data[..count]);
        count
    }

    fn has_share(&self, wanted: usize) -> bool {
        self.share.as_ref().is_none_or(|share| share.room() >= wanted - self.start.capacity())
    }

    fn hold(&mut self, bytes: usize) {
        match (&mut self.of_share, &self.share) {
            (Some(held), _) => held.set(bytes),
            (of_share, Some(share)) => *of_share = Some(share.hold(bytes)),
            (None, None) => (),
        }
    }

    /// Waits until there is something to read; `false` at the end.
    pub(crate) fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SpoolError>> {
        if self.is_read() {
            return Poll::Ready(Ok(false));
        }
        let Some(after) = self.read.checked_sub(self.start.len() as u64) else { return Poll::Ready(Ok(true)) };
        let Some(tail) = &mut self.tail else { return Poll::Ready(Ok(true)) };
        ready!(tail.poll_fill(cx, after, &self.spools))?;
        Poll::Ready(Ok(true))
    }

    /// The bytes to read, after [`Self::poll_fill`].
    pub(crate) fn data(&self) -> &[u8] {
        match self.read.checked_sub(self.start.len() as u64) {
            // It fits: it is within what is in memory.
            None => self.start.get(self.read as usize..).unwrap_or_default(),
            Some(after) => self.tail.as_ref().map_or(&[], |tail| tail.data(after)),
        }
    }

    pub(crate) fn consume(&mut self, count: usize) {
        self.read = (self.read + count as u64).min(self.length);
    }

    pub(crate) fn rewind(&mut self) {
        self.read = 0;
    }
}

impl Tail {
    fn new(spools: &Arc<Spools>, client: Option<IpAddr>) -> Self {
        let mut of_memory = Held::none(&spools.memory);
        // One to write, one to read.
        let size = if of_memory.grow(2 * BLOCK as u64) { BLOCK } else { SMALL_BLOCK };
        Self {
            file: Scrap::new(),
            written: 0,
            end: Vec::new(),
            block: Vec::new(),
            block_at: 0,
            job: Job::None,
            size,
            is_broken: false,
            of_disk: Held::none(&spools.disk),
            of_client: client.map(|client| Held::none(&spools.disk_of(client))),
            _of_memory: of_memory,
        }
    }

    fn poll_push(&mut self, cx: &mut Context<'_>, spools: &Spools, data: &[u8]) -> Poll<Result<usize, SpoolError>> {
        if self.is_broken {
            return Poll::Ready(Err(SpoolError::NoRoom));
        }
        if self.end.len() == self.size {
            ready!(self.poll_job(cx)).inspect_err(|error| spools.failed(error))?;
            let after = self.written + self.end.len() as u64;
            let has_share = self.of_client.as_mut().is_none_or(|held| held.grow(after));
            if !has_share || !self.of_disk.grow(after) {
                return Poll::Ready(Err(SpoolError::NoRoom));
            }
            if self.written == 0 {
                spools.began_file();
            }
            let block = std::mem::take(&mut self.end);
            self.file.write(&spools.settings.folder, block, self.written);
            (self.written, self.job) = (after, Job::Write);
        }
        let count = data.len().min(self.size - self.end.len());
        if self.end.capacity() < self.end.len() + count {
            self.end.reserve_exact(self.size - self.end.len());
        }
        self.end.extend_from_slice(&data[..count]);
        Poll::Ready(Ok(count))
    }

    fn poll_job(&mut self, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        if !self.file.is_busy() {
            return Poll::Ready(Ok(()));
        }
        let (block, result) = ready!(self.file.poll(cx));
        match (std::mem::replace(&mut self.job, Job::None), &result) {
            (Job::Read(at), Ok(())) => (self.block, self.block_at) = (block, at),
            // What is not in the file is still here.
            (Job::Write, Err(_)) => {
                self.written -= block.len() as u64;
                let after = std::mem::replace(&mut self.end, block);
                self.end.extend_from_slice(&after);
                self.is_broken = true;
            }
            _ => (),
        }
        Poll::Ready(result)
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>, at: u64, spools: &Spools) -> Poll<Result<(), SpoolError>> {
        loop {
            if at >= self.written || !self.data(at).is_empty() {
                return Poll::Ready(Ok(()));
            }
            let is_write = self.job == Job::Write;
            if let Err(error) = ready!(self.poll_job(cx)) {
                spools.failed(&error);
                // What could not be written is still here.
                if !is_write {
                    return Poll::Ready(Err(error.into()));
                }
            } else if self.data(at).is_empty() {
                let length = (self.written - at).min(self.size as u64);
                let mut block = std::mem::take(&mut self.block);
                // It fits: it is at most a block's.
                block.resize(length as usize, 0);
                self.file.read(block, at);
                self.job = Job::Read(at);
            }
        }
    }

    fn data(&self, at: u64) -> &[u8] {
        if let Some(in_end) = at.checked_sub(self.written) {
            return self.end.get(in_end as usize..).unwrap_or_default();
        }
        let in_block = at.checked_sub(self.block_at).and_then(|at| usize::try_from(at).ok());
        in_block.and_then(|at| self.block.get(at..)).unwrap_or_default()
    }
}

/// One job at a time.
#[derive(Debug)]
struct Scrap {
    file: Option<Arc<File>>,
    job: Option<JoinHandle<Done>>,
}

/// A thread's result: the block it used, and the file if it was made.
#[derive(Debug)]
struct Done {
    block: Vec<u8>,
    result: io::Result<Arc<File>>,
}

impl Scrap {
    fn new() -> Self {
        Self { file: None, job: None }
    }

    /// Starts writing a block; makes the file if there is none.
    fn write(&mut self, folder: &Path, block: Vec<u8>, at: u64) {
        let (file, folder) = (self.file.clone(), folder.to_owned());
        self.job = Some(tokio::task::spawn_blocking(move || {
            let write = || {
                let file = match file {
                    Some(file) => file,
                    None => Arc::new(open(&folder)?),
                };
                file.write_all_at(&block, at)?;
                Ok(file)
            };
            let result = write();
            Done { block, result }
        }));
    }

    fn read(&mut self, mut block: Vec<u8>, at: u64) {
        let file = self.file.clone();
        self.job = Some(tokio::task::spawn_blocking(move || {
            let read = || {
                let file = file.ok_or(io::ErrorKind::NotFound)?;
                file.read_exact_at(&mut block, at)?;
                Ok(file)
            };
            let result = read();
            Done { block, result }
        }));
    }

    fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Waits for the running job, and returns the block, also on failure.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(Vec<u8>, io::Result<()>)> {
        let Some(job) = &mut self.job else { return Poll::Ready((Vec::new(), Ok(()))) };
        let done = ready!(Pin::new(job).poll(cx));
        self.job = None;
        let Done { block, result } = match done {
            Ok(done) => done,
            // The runtime ends.
            Err(error) => Done { block: Vec::new(), result: Err(io::Error::other(error)) },
        };
        Poll::Ready((block, result.map(|file| self.file = Some(file))))
    }
}

/// A file that nobody else can find: unnamed, or where the file system cannot do that, unlinked at once.
fn open(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(folder) {
        // Errors of kernels and file systems without it (open(2)).
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL)) => {
            let path = folder.join(format!(".unladen-{:032x}", fastrand::u128(..)));
            let file = options.create_new(true).open(&path)?;
            std::fs::remove_file(&path)?;
            Ok(file)
        }
        opened => opened,
    }
}

#[cfg(test)]
mod tests;
