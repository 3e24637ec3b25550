//! The principal type is [`HotFiles`]: frequently requested files, ready to be sent.
//!
//! One memory for the whole process, of [`BOUND`] bytes. An entry is at most [`CHECK`] old: then the path is resolved
//! again, and whatever differs in identity, times or length is read anew. A file that changed less than two seconds ago
//! is not kept, since its next change might not show in its times.
//!
//! Of a FastCGI program only its existence is remembered; the program itself reads it.

use std::hash::{Hash, Hasher};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use unladen_cache::Coding;
use unladen_files::{CodedBy, Meta, Representation, Script};
use unladen_http1::Fields;

/// Files up to this many bytes are kept whole, longer ones open …
pub(crate) const SHORT: u64 = 64 * 1024;
/// … up to this: a deleted file's disk space is not freed before it is closed.
pub(crate) const OPEN: u64 = 1024 * 1024;
/// Bound on all, in bytes.
const BOUND: u64 = 64 * 1024 * 1024;
/// Bytes an open file counts for: the bound then allows some hundred file descriptors.
const OPEN_WEIGHT: u64 = 128 * 1024;
/// How long a path is not checked again.
const CHECK: Duration = Duration::from_millis(100);
/// Bytes of an entry besides its content.
const ENTRY: u64 = 512;

#[derive(Debug)]
pub(crate) struct HotFiles {
    folder: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// The only one, or the note that there are several.
    Any,
    Plain,
    /// For a client that takes these codings, the best first.
    Coded([Option<Coding>; 3]),
}

#[derive(Clone, Debug)]
pub(crate) enum Kept {
    Varies,
    File(Arc<HotFile>),
    Script(Arc<KnownScript>),
}

/// A FastCGI program that existed a moment ago.
#[derive(Debug)]
pub(crate) struct KnownScript {
    pub(crate) script: Arc<Script>,
    /// Last check, in milliseconds since [`BEGAN`].
    checked: u64,
}

#[derive(Debug, Default)]
pub(crate) struct HotFile {
    /// Of the file itself …
    pub(crate) original: Meta,
    /// … and of a coded sibling that is sent instead.
    pub(crate) sibling: Option<(Coding, Meta)>,
    /// The file's own path, whichever was requested.
    pub(crate) name: Box<[u8]>,
    pub(crate) contents: Contents,
    pub(crate) content_type: Box<str>,
    pub(crate) coding: Option<(Coding, CodedBy)>,
    pub(crate) varies: bool,
    pub(crate) cache_control: Option<Box<str>>,
    /// Head of a complete answer, without what changes with time.
    pub(crate) fields: Fields,
    pub(crate) lines: Bytes,
    /// Last check, in milliseconds since [`BEGAN`].
    pub(super) checked: AtomicU64,
}

#[derive(Debug)]
pub(crate) enum Contents {
    Memory(Bytes),
    File(Arc<OwnedFd>),
}

#[derive(Debug, PartialEq, Eq)]
struct Key {
    folder: u64,
    path: Box<[u8]>,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct KeyRef<'a> {
    folder: u64,
    path: &'a [u8],
    form: Form,
}

#[derive(Clone, Debug)]
struct ByBytes;

static FILES: LazyLock<Cache<Key, Kept, ByBytes>> = LazyLock::new(|| Cache::with_weighter(4096, BOUND, ByBytes));
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

impl HotFiles {
    pub(super) fn of(folder: u64) -> Self {
        Self { folder }
    }

    /// Kept under a decoded path: other spellings would fill the memory with the same files.
    pub(crate) fn get(&self, path: &[u8], form: Form) -> Option<Kept> {
        FILES.get(&KeyRef { folder: self.folder, path, form })
    }

    pub(crate) fn put(&self, path: &[u8], form: Form, kept: Kept) {
        FILES.insert(Key { folder: self.folder, path: path.into(), form }, kept);
    }

    pub(crate) fn remove(&self, path: &[u8], form: Form) {
        FILES.remove(&KeyRef { folder: self.folder, path, form });
    }
}

impl HotFile {
    /// Whether it was checked recently enough.
    pub(crate) fn is_checked(&self, now: Instant) -> bool {
        is_recent(self.checked.load(Ordering::Relaxed), now)
    }

    pub(crate) fn check(&self, now: Instant) {
        self.checked.store(since_began(now), Ordering::Relaxed);
    }

    pub(crate) fn representation(&self) -> Representation<'_> {
        Representation {
            meta: self.sibling.map_or(self.original, |(_, meta)| meta),
            length: self.length(),
            content_type: &self.content_type,
            coding: self.coding,
            varies: self.varies,
            cache_control: self.cache_control.as_deref(),
        }
    }

    pub(crate) fn length(&self) -> u64 {
        match &self.contents {
            Contents::Memory(bytes) => bytes.len() as u64,
            Contents::File(_) => self.sibling.map_or(self.original, |(_, meta)| meta).length,
        }
    }

    /// `fields`: head of a complete answer; `at`: time of the check.
    pub(crate) fn with_head(mut self, fields: Fields, at: Instant) -> Self {
        let mut lines = Vec::new();
        for field in fields.iter() {
            for piece in [field.name, b": ", field.value, b"\r\n"] {
                lines.extend_from_slice(piece);
            }
        }
        self.lines = lines.into();
        self.fields = fields;
        self.check(at);
        self
    }
}

impl Default for Contents {
    fn default() -> Self {
        Self::Memory(Bytes::new())
    }
}

impl KnownScript {
    pub(crate) fn new(script: Arc<Script>, now: Instant) -> Self {
        Self { script, checked: since_began(now) }
    }

    /// Whether it was checked recently enough.
    pub(crate) fn is_checked(&self, now: Instant) -> bool {
        is_recent(self.checked, now)
    }
}

fn is_recent(checked: u64, now: Instant) -> bool {
    since_began(now).saturating_sub(checked) < CHECK.as_millis() as u64
}

fn since_began(now: Instant) -> u64 {
    u64::try_from(now.saturating_duration_since(*BEGAN).as_millis()).unwrap_or(u64::MAX)
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.folder, &*self.path, self.form).hash(state);
    }
}

impl Hash for KeyRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.folder, self.path, self.form).hash(state);
    }
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        (self.folder, self.path, self.form) == (key.folder, &key.path, key.form)
    }
}

impl Weighter<Key, Kept> for ByBytes {
    fn weight(&self, key: &Key, kept: &Kept) -> u64 {
        let bytes = match kept {
            Kept::Varies => 0,
            Kept::Script(known) => {
                let script = &known.script;
                (script.filename.as_os_str().len() + script.root.as_os_str().len() + script.name.len()) as u64
            }
            Kept::File(file) => {
                let contents = match &file.contents {
                    Contents::Memory(bytes) => bytes.len() as u64,
                    Contents::File(_) => OPEN_WEIGHT,
                };
                contents + (2 * file.lines.len() + file.name.len()) as u64 + file.content_type.len() as u64
            }
        };
        ENTRY + key.path.len() as u64 + bytes
    }
}
