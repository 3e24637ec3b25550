//! The principal type is [`Held`]: the current certificate, replaced while clients connect.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwapOption;
use rustls::sign::CertifiedKey;

use crate::issued::Issued;
use crate::state::Folder;
use crate::wanted::Wanted;

/// The current certificate. Threads that carry requests read it without a lock.
#[derive(Debug)]
pub struct Held {
    names: Vec<String>,
    issued: ArcSwapOption<Issued>,
    look: Mutex<Look>,
}

/// The state of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    pub names: Vec<String>,
    /// The last second of validity of the current certificate, since 1970; `None` if there is none.
    pub not_after: Option<u64>,
    pub is_ordering: bool,
    /// Time of the next step, in seconds since 1970: an order, or a question about renewal.
    pub next: Option<u64>,
    /// Failed orders since the last success.
    pub failures: u32,
    /// Time of the last failed order, in seconds since 1970 …
    pub failed_at: Option<u64>,
    /// … and its reason: the authority's words, and what to do.
    pub error: Option<String>,
}

impl Held {
    /// Starts with the certificate on disk; the [`Keeper`](crate::Keeper) reports an unusable file.
    pub fn new(wanted: &Wanted) -> Arc<Self> {
        let held = Self::none(wanted);
        let folder = Folder::new(&wanted.authority().state, &wanted.authority().directory);
        if let Ok(Some(issued)) = folder.issued(wanted.name()) {
            held.hold(Arc::new(issued));
        }
        held
    }

    /// Starts without a certificate and without reading the disk, for a check.
    pub fn none(wanted: &Wanted) -> Arc<Self> {
        let names = wanted.names().to_vec();
        let look = Look { names: names.clone(), ..Look::default() };
        Arc::new(Self { names, issued: ArcSwapOption::empty(), look: Mutex::new(look) })
    }

    /// The certificate for clients that ask for any of its names.
    pub fn key(&self) -> Option<Arc<CertifiedKey>> {
        self.issued.load().as_ref().map(|issued| issued.key().clone())
    }

    /// The certificate for clients that ask for this name, in small letters. After names were added, the previous
    /// certificate still serves its own.
    pub fn key_for(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        self.issued.load().as_ref().filter(|issued| issued.is_for(name)).map(|issued| issued.key().clone())
    }

    /// The wanted names, in small letters.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The certificate's state.
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
