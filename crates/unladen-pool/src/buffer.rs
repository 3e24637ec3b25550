//! The principal type is [`Buffer`]: bytes that were read and are not used yet. Its memory is borrowed from the thread
//! and returned when it is empty, so that ten thousand idle connections hold none.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Block size for heads and small bodies.
pub const SMALL: usize = 16 * 1024;
/// Block size for large bodies: fewer system calls for each byte; more than this gains nothing on loopback.
pub const LARGE: usize = 128 * 1024;
/// Blocks that a thread keeps: 2 MiB of the small ones, 4 MiB of the large ones. More would stay after a peak.
const KEPT: [usize; 2] = [128, 32];

thread_local! {
    static BLOCKS: RefCell<[Vec<Box<[u8]>>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// Bytes that were read and are not used yet.
#[derive(Debug, Default)]
pub struct Buffer {
    block: Box<[u8]>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// The unused bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.block[self.start..self.end]
    }

    /// The unused bytes, for changes in place.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.block[self.start..self.end]
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Marks the first `count` bytes as used.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
        if self.is_empty() {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Drops all but the first `count` bytes.
    pub fn truncate(&mut self, count: usize) {
        self.end = self.end.min(self.start + count);
        if self.is_empty() {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Ensures room for `size` bytes in all.
    pub fn grow(&mut self, size: usize) {
        if self.block.len() < size {
            let mut larger = take(size);
            let rest = self.end - self.start;
            larger[..rest].copy_from_slice(&self.block[self.start..self.end]);
            give(std::mem::replace(&mut self.block, larger));
            (self.start, self.end) = (0, rest);
        }
    }

    /// Returns the memory if it is empty.
    pub fn release(&mut self) {
        if self.is_empty() && !self.block.is_empty() {
            give(std::mem::take(&mut self.block));
        }
    }

    /// Whether it holds no memory.
    pub fn is_released(&self) -> bool {
        self.block.is_empty()
    }

    /// Whether a read would have no room.
    pub fn is_full(&self) -> bool {
        self.end - self.start == self.block.len() && !self.block.is_empty()
    }

    /// Reads once; returns the number of bytes, 0 at the stream's end. An error if there is no room.
    pub fn poll_read<T: AsyncRead + Unpin>(&mut self, from: &mut T, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.block.is_empty() {
            self.block = take(SMALL);
        }
        if self.end == self.block.len() {
            if self.start == 0 {
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::OutOfMemory, "the buffer is full")));
            }
            self.block.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let mut into = ReadBuf::new(&mut self.block[self.end..]);
        ready!(Pin::new(from).poll_read(cx, &mut into))?;
        let count = into.filled().len();
        self.end += count;
        Poll::Ready(Ok(count))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if !self.block.is_empty() {
            give(std::mem::take(&mut self.block));
        }
    }
}

fn take(size: usize) -> Box<[u8]> {
    if size > LARGE {
        return vec![0; size].into();
    }
    let (class, size) = if size <= SMALL { (0, SMALL) } else { (1, LARGE) };
    let kept = BLOCKS.try_with(|blocks| blocks.borrow_mut()[class].pop()).ok().flatten();
    kept.unwrap_or_else(|| vec![0; size].into())
}

fn give(block: Box<[u8]>) {
    let class = match block.len() {
        SMALL => 0,
        LARGE => 1,
        _ => return,
    };
    // At the thread's end the list may be gone.
    let _ = BLOCKS.try_with(|blocks| {
        let kept = &mut blocks.borrow_mut()[class];
        if kept.len() < KEPT[class] {
            kept.push(block);
        }
    });
}
