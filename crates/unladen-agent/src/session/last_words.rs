//! The principal type is [`LastWords`]: the end of a command's stderr.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use unladen_trace::without_secrets;

use crate::shown::shown;

const KEPT: usize = 8 << 10;

const LINES: usize = 5;

const MOST: usize = 1000;

const PAUSE: Duration = Duration::from_millis(5);
const PAUSES: usize = 40;

#[derive(Debug, Default)]
pub(super) struct LastWords {
    bytes: Mutex<VecDeque<u8>>,
    has_ended: AtomicBool,
}

impl LastWords {
    pub(super) fn of(mut pipe: impl Read + Send + 'static) -> Arc<Self> {
        let words = Arc::new(Self::default());
        let kept = Arc::clone(&words);
        std::thread::spawn(move || {
            let mut piece = [0; 1024];
            while let Ok(read @ 1..) = pipe.read(&mut piece) {
                kept.take(&piece[..read]);
            }
            kept.has_ended.store(true, Ordering::Release);
        });
        words
    }

    fn take(&self, piece: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend(piece);
        let too_many = bytes.len().saturating_sub(KEPT);
        bytes.drain(..too_many);
    }

    /// Waits a moment for the end of the pipe: the last words give the reason.
    pub(super) fn settle(&self) {
        for _ in 0..PAUSES {
            if self.has_ended.load(Ordering::Acquire) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The last lines, joined; empty if there are none.
    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        // The first line may be cut, and its secret without the name that marks it.
        let is_cut = bytes.len() >= KEPT;
        let lines = text.split(['\n', '\r']).skip(usize::from(is_cut));
        let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
        // A shell that traces its commands, or an ssh that names the failed one, repeats what may be a password.
        let last = &lines[lines.len().saturating_sub(LINES)..];
        let lines: Vec<String> = last.iter().copied().map(without_secrets).collect();
        shown(&lines.join(" / "), MOST)
    }

    pub(super) fn behind_colon(&self) -> String {
        let text = self.text();
        if text.is_empty() { text } else { format!(": {text}") }
    }
}

#[cfg(test)]
mod tests;
