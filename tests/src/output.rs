//! The principal type is [`Output`]: what a program writes, read while it runs.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A program that has ended may have left another that still has its pipe: what that one writes is not waited for.
const LEFT_OPEN: Duration = Duration::from_secs(10);

/// What a program writes, read while it runs.
#[derive(Debug)]
pub(crate) struct Output {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Output {
    /// Begins to read.
    pub(crate) fn new(mut from: impl Read + Send + 'static) -> Self {
        let bytes = Arc::<Mutex<Vec<u8>>>::default();
        let read = bytes.clone();
        let reader = std::thread::spawn(move || {
            let mut piece = vec![0; 64 * 1024];
            while let Ok(length @ 1..) = from.read(&mut piece) {
                read.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&piece[..length]);
            }
        });
        Self { bytes, reader }
    }

    /// What it has written so far.
    pub(crate) fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// All of it, of a program that has ended.
    pub(crate) fn text(self) -> String {
        let ended = Instant::now();
        while !self.reader.is_finished() && ended.elapsed() < LEFT_OPEN {
            std::thread::sleep(Duration::from_millis(2));
        }
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8(bytes).expect("unladen writes UTF-8")
    }
}
