//! The principal type is [`Memory`].

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use nix::sys::prctl::{get_thp_disable, set_thp_disable};

use crate::reference::mix::{mix, order};

/// Words of a cache line, 64 bytes.
const LINE: usize = 8;
/// Lines of a page, 4 KiB.
const PAGE: usize = 64;
/// Pages of each half, 4 MiB: twice the second cache of today's server processors.
const PAGES: usize = 1024;
const HALF: usize = PAGES * PAGE * LINE;
/// About a millisecond with the streaming. Lines repeat in the sixth piece: by then the streaming has displaced them.
const STEPS: u32 = 12_288;

/// Streams through one half of a buffer, page after page in random order, and walks from line to line in the other.
///
/// Whether the kernel gives huge pages depends on how many are left. With them a piece would take 8 % less in memory
/// order; so they are switched off, and pages follow each other at random, which leaves 4 % of that if the kernel
/// merges pages afterwards. The walk visits all lines of a page, unpredictably, before it goes to another page.
#[derive(Debug)]
pub(crate) struct Memory {
    buffer: Box<[u64]>,
    pages: Vec<usize>,
    at: usize,
}

impl Memory {
    pub(crate) fn new() -> Self {
        let mut buffer = without_huge_pages(|| {
            let mut buffer: Vec<u64> = Vec::with_capacity(2 * HALF);
            buffer.extend((0..HALF as u64).map(mix));
            buffer.resize(2 * HALF, 0);
            buffer
        });
        let walk: Vec<usize> = order(PAGES, 0)
            .into_iter()
            .flat_map(|page| order(PAGE, (page as u64 + 1) << 32).into_iter().map(move |line| page * PAGE + line))
            .map(|line| HALF + line * LINE)
            .collect();
        for (here, next) in walk.iter().zip(walk.iter().cycle().skip(1)) {
            buffer[*here] = *next as u64;
        }
        Self { buffer: buffer.into_boxed_slice(), pages: order(PAGES, u64::MAX / 2), at: walk[0] }
    }

    /// Runs one piece; the results of the first, the second and so on are always the same.
    pub(crate) fn run(&mut self) -> u64 {
        let (streamed, _) = self.buffer.split_at(HALF);
        let sum = stream(black_box(streamed), &self.pages);
        self.at = walk(black_box(&self.buffer), self.at, black_box(STEPS));
        sum ^ self.at as u64
    }
}

/// One word of each line is enough to fetch it.
#[inline(never)]
fn stream(words: &[u64], pages: &[usize]) -> u64 {
    let of_page = |page: &usize| words.get(page * PAGE * LINE..(page + 1) * PAGE * LINE).unwrap_or_default();
    let lines = pages.iter().flat_map(|page| of_page(page).iter().step_by(LINE));
    lines.fold(0, |sum: u64, word| sum.wrapping_add(*word))
}

/// The kernel's setting is the whole process's.
static SETTING: Mutex<()> = Mutex::new(());

/// Makes a buffer in small pages; the process's former setting is restored, also for programs that it starts.
fn without_huge_pages(make: impl FnOnce() -> Vec<u64>) -> Vec<u64> {
    let _held = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    let had_them = get_thp_disable() == Ok(false);
    // A kernel without huge pages refuses, and gives none.
    let is_set = had_them && set_thp_disable(true).is_ok();
    let buffer = make();
    if is_set {
        let _ = set_thp_disable(false);
    }
    buffer
}

#[inline(never)]
fn walk(buffer: &[u64], from: usize, steps: u32) -> usize {
    (0..steps).fold(from, |at, _| buffer.get(at).map_or(0, |next| *next as usize))
}

#[cfg(test)]
mod tests;
