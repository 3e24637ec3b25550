//! The principal type is [`Held`]: a certificate as clients are shown it now, replaced while they come.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwapOption;
use rustls::sign::CertifiedKey;

use crate::issued::Issued;
use crate::state::Folder;
use crate::wanted::Wanted;

/// A certificate as clients are shown it now. Threads that carry requests read it without a lock.
#[derive(Debug)]
pub struct Held {
    names: Vec<String>,
    issued: ArcSwapOption<Issued>,
    look: Mutex<Look>,
}

/// How it stands with a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The names that are wanted.
    pub names: Vec<String>,
    /// The last second in which the one that is shown is valid, since 1970; none: there is none.
    pub not_after: Option<u64>,
    /// Whether one is being ordered.
    pub is_ordering: bool,
    /// When the next step is, in seconds since 1970: an order, or a question whether there should be one.
    pub next: Option<u64>,
    /// Orders that failed since the last that succeeded.
    pub failures: u32,
    /// When the last order failed, in seconds since 1970 …
    pub failed_at: Option<u64>,
    /// … and why: what the authority said, and what to do.
    pub error: Option<String>,
}

impl Held {
    /// With what is on disk already; a file that cannot be used is told by the [`Keeper`](crate::Keeper).
    pub fn new(wanted: &Wanted) -> Arc<Self> {
        let held = Self::none(wanted);
        let folder = Folder::new(&wanted.authority().state, &wanted.authority().directory);
        if let Ok(Some(issued)) = folder.issued(wanted.name()) {
            held.hold(Arc::new(issued));
        }
        held
    }

    /// With nothing, without looking: for a check.
    pub fn none(wanted: &Wanted) -> Arc<Self> {
        let names = wanted.names().to_vec();
        let look = Look { names: names.clone(), ..Look::default() };
        Arc::new(Self { names, issued: ArcSwapOption::empty(), look: Mutex::new(look) })
    }

    /// What clients are shown that ask for any of its names; none: there is nothing yet.
    pub fn key(&self) -> Option<Arc<CertifiedKey>> {
        self.issued.load().as_ref().map(|issued| issued.key().clone())
    }

    /// What clients are shown that ask for this name, in small letters. After names were added, the one before goes on
    /// for those that it is for.
    pub fn key_for(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        self.issued.load().as_ref().filter(|issued| issued.is_for(name)).map(|issued| issued.key().clone())
    }

    /// The names that are wanted, in small letters.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How it stands with it.
    pub fn look(&self) -> Look {
        self.look.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn issued(&self) -> Option<Arc<Issued>> {
        self.issued.load_full()
    }

    pub(crate) fn hold(&self, issued: Arc<Issued>) {
        self.note(|look| look.not_after = Some(issued.not_after()));
        self.issued.store(Some(issued));
    }

    pub(crate) fn note(&self, change: impl FnOnce(&mut Look)) {
        change(&mut self.look.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
