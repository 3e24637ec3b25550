//! The principal type is [`History`]: which version each page has had, and which of them nobody may be given any more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A page: what the application would answer with now, and the least that may be answered.
#[derive(Default)]
struct Page {
    version: AtomicU64,
    /// A purge of this version was confirmed by all nodes: who asks from then on gets no older one.
    floor: AtomicU64,
}

/// Which version each page has had.
pub(crate) struct History {
    pages: Vec<Page>,
    begun: Instant,
    /// What was done to the town, when: for who looks for the cause of what is wrong.
    faults: Mutex<Vec<(u128, String)>>,
    /// Answers that were older than they may be.
    wrong: Mutex<Vec<String>>,
    pub(crate) reads: AtomicU64,
    /// Of them, those of pages that have a floor.
    pub(crate) judged: AtomicU64,
}

impl History {
    pub(crate) fn of(pages: usize) -> Self {
        Self {
            pages: (0..pages).map(|_| Page::default()).collect(),
            begun: Instant::now(),
            faults: Mutex::default(),
            wrong: Mutex::default(),
            reads: AtomicU64::new(0),
            judged: AtomicU64::new(0),
        }
    }

    pub(crate) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// What the application answers with.
    pub(crate) fn version(&self, page: usize) -> u64 {
        self.pages[page].version.load(Ordering::SeqCst)
    }

    /// The application has another version from now on.
    pub(crate) fn change(&self, page: usize) -> u64 {
        self.pages[page].version.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// A purge that came after this version was confirmed by all.
    pub(crate) fn confirm(&self, page: usize, version: u64) {
        self.pages[page].floor.fetch_max(version, Ordering::SeqCst);
    }

    /// Of whoever is about to ask.
    pub(crate) fn floor(&self, page: usize) -> u64 {
        self.pages[page].floor.load(Ordering::SeqCst)
    }

    /// Judges an answer by what the floor was before it was asked for.
    pub(crate) fn judge(&self, node: usize, page: usize, floor: u64, asked: Instant, got: u64) {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.judged.fetch_add(u64::from(floor > 0), Ordering::SeqCst);
        if got >= floor && got <= self.version(page) {
            return;
        }
        let (from, to) = ((asked - self.begun).as_millis(), self.begun.elapsed().as_millis());
        let now = self.version(page);
        lock(&self.wrong).push(format!(
            "node {node}, page {page}: asked at {from} ms, answered at {to} ms with version {got}; \
             {floor} was confirmed before it was asked for, {now} is the latest"
        ));
    }

    pub(crate) fn note(&self, fault: impl Into<String>) {
        lock(&self.faults).push((self.begun.elapsed().as_millis(), fault.into()));
    }

    /// What is wrong so far.
    pub(crate) fn is_wrong(&self) -> bool {
        !lock(&self.wrong).is_empty()
    }

    /// # Panics
    /// If anything is wrong: with all that was done to the town.
    pub(crate) fn assert_right(&self, seed: u64) {
        let wrong = lock(&self.wrong);
        let faults = lock(&self.faults);
        let tail: Vec<String> = faults.iter().map(|(at, fault)| format!("{at:>7} ms  {fault}")).collect();
        assert!(
            wrong.is_empty(),
            "seed {seed}: {} of {} answers were older than they may be:\n{}\n\nWhat happened:\n{}",
            wrong.len(),
            self.reads.load(Ordering::SeqCst),
            wrong.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n"),
            tail.join("\n")
        );
    }
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
