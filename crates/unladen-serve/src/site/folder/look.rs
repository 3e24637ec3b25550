//! [`Folder::look`]: what stands for a path, from memory or from the disk.

use std::os::fd::AsFd;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::{Semaphore, SemaphorePermit};
use unladen_cache::{Accepted, Time};
use unladen_files::{
    CodedBy, FileAnswer, OpenFile, PathFault, RequestPath, Resolved, Script, coding_of_name, is_text, media_type,
};
use unladen_http1::Request;

use super::Folder;
use super::hot_files::{Contents, Form, HotFile, Kept, KnownScript, OPEN, SHORT};
use crate::cache::coded::{SHORTEST, is_not_to_be_transformed, joined};
use crate::message::stream::read_now;

#[derive(Debug)]
pub(crate) enum Looked {
    File(Sendable),
    Script(Arc<Script>),
    Other(Resolved),
}

#[derive(Debug)]
pub(crate) struct Sendable {
    pub(crate) file: Arc<HotFile>,
    /// It was sent a moment ago.
    pub(crate) is_hot: bool,
}

struct Wanted<'r> {
    path: &'r [u8],
    accepted: Accepted,
    /// Whether files in memory are compressed.
    compress: bool,
    now: Instant,
}

enum Encoded {
    /// Another request has done so meanwhile.
    Before(Arc<HotFile>),
    /// Done, or nothing to do. The turn ends once the file is kept.
    Now(Option<SemaphorePermit<'static>>),
}

/// Half of the processors may compress at a time; the others answer requests.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Semaphore::new((processors / 2).max(1))
});

fn coded_form(accepted: Accepted) -> Form {
    let mut codings = accepted.shortest_by_weight();
    let form = [codings.next(), codings.next(), codings.next()];
    if form[0].is_some() { Form::Coded(form) } else { Form::Plain }
}

/// Takes what is kept, if it was checked recently enough.
fn take_checked(kept: &mut Option<Kept>, now: Instant) -> Option<Looked> {
    match kept.take()? {
        Kept::File(file) if file.is_checked(now) => Some(Looked::File(Sendable { file, is_hot: true })),
        Kept::Script(known) if known.is_checked(now) => Some(Looked::Script(known.script.clone())),
        other => {
            *kept = Some(other);
            None
        }
    }
}

impl Folder {
    /// What stands for a request's path. `compress`: whether answers are compressed here.
    pub(crate) async fn look(&self, request: &Request, compress: bool, now: Instant) -> Result<Looked, PathFault> {
        let spelt = request.target.split(|byte| *byte == b'?').next().unwrap_or_default();
        // Without a `%`, it is its own decoded form, or nothing is kept by it.
        let mut before = if spelt.contains(&b'%') { None } else { self.kept(spelt, request, compress) };
        if let Some(looked) = take_checked(&mut before, now) {
            return Ok(looked);
        }
        let parsed = RequestPath::parse(&request.target)?;
        let path = parsed.bytes();
        if path != spelt {
            before = self.kept(path, request, compress);
            if let Some(looked) = take_checked(&mut before, now) {
                return Ok(looked);
            }
        }
        let opened = match self.resolve(&parsed, now) {
            Resolved::File(opened) => opened,
            other => {
                if let Some(hot) = self.hot.as_ref().filter(|_| before.is_some()) {
                    hot.remove(path, Form::Any);
                }
                return Ok(match other {
                    Resolved::Script(script) => Looked::Script(self.remembered(script, path, now)),
                    other => Looked::Other(other),
                });
            }
        };
        let name = self.name_of(&opened.path);
        // Endless paths lead to a fallback page, which is kept by its name.
        let is_of_any_path = name != path && path != b"/" && self.is_of_any_path(&name);
        if is_of_any_path {
            before = self.kept(&name, request, compress);
        }
        let path = if is_of_any_path { &name } else { path };
        let before = match before {
            Some(Kept::File(file)) => Some(file),
            _ => None,
        };
        let wanted = Wanted { path, accepted: self.form(request, compress).0, compress, now };
        Ok(Looked::File(self.sendable(opened, before, &wanted).await))
    }

    fn kept(&self, path: &[u8], request: &Request, compress: bool) -> Option<Kept> {
        let hot = self.hot.as_ref()?;
        match hot.get(path, Form::Any)? {
            Kept::Varies => hot.get(path, self.form(request, compress).1),
            kept => Some(kept),
        }
    }

    /// Remembers a program under its own path, or its folder's: endless others lead to it.
    fn remembered(&self, script: Script, path: &[u8], now: Instant) -> Arc<Script> {
        let script = Arc::new(script);
        if let Some(hot) = self.hot.as_ref().filter(|_| script.path_info.is_empty() && script.name.starts_with(path)) {
            hot.put(path, Form::Any, Kept::Script(Arc::new(KnownScript::new(script.clone(), now))));
        }
        script
    }

    /// Paths beneath the root follow the alias.
    pub(crate) fn resolve(&self, path: &RequestPath<'_>, now: Instant) -> Resolved {
        let Some(rest) = path.without(&self.alias).filter(|_| !self.alias.is_empty()) else {
            return self.root.resolve(path, &self.rules, now);
        };
        let with_alias = |rest: Vec<u8>| [&*self.alias, &*rest].concat();
        if rest.bytes().is_empty() {
            return Resolved::Redirect(with_alias(b"/".to_vec()));
        }
        match self.root.resolve(&rest, &self.rules, now) {
            Resolved::Redirect(path) => Resolved::Redirect(with_alias(path)),
            Resolved::Script(script) => Resolved::Script(Script { name: with_alias(script.name), ..script }),
            other => other,
        }
    }

    /// Form that a request takes of a file with several. Ranges are of the file itself: those of other forms would not
    /// fit parts the client may have.
    fn form(&self, request: &Request, compress: bool) -> (Accepted, Form) {
        let header = joined(&request.fields, b"accept-encoding");
        let has_forms = self.precompressed || compress;
        let wants_itself = request.fields.find(b"range").is_some() || is_not_to_be_transformed(&request.fields);
        if !has_forms || header.is_none() || wants_itself {
            return (Accepted::of(None), Form::Plain);
        }
        let accepted = Accepted::of(header.as_deref());
        (accepted, coded_form(accepted))
    }

    async fn sendable(&self, opened: OpenFile, before: Option<Arc<HotFile>>, wanted: &Wanted<'_>) -> Sendable {
        let content_type = media_type(&opened.path);
        let named = coding_of_name(&opened.path);
        let may_vary = named.is_none() && is_text(&content_type) && (self.precompressed || wanted.compress);
        let beside = (may_vary && self.precompressed)
            .then(|| self.root.precompressed(&opened, wanted.accepted, &self.rules, wanted.now))
            .flatten();
        let sibling = beside.as_ref().map(|(coding, file)| (*coding, file.meta));
        let original = opened.meta;
        if let Some(before) = before.filter(|before| before.original == original && before.sibling == sibling) {
            before.check(wanted.now);
            // It may not have been sent for long.
            return Sendable { file: before, is_hot: false };
        }
        let path = [b"/", &*opened.path].concat();
        let name = self.name_of(&opened.path).into();
        let (coding, sent) = match beside {
            Some((coding, file)) => (Some((coding, CodedBy::File)), file),
            None => (named.map(|coding| (coding, CodedBy::File)), opened),
        };
        let now = Time::now();
        let is_kept = self.hot.is_some() && !original.is_settling(now) && !sent.meta.is_settling(now);
        let mut file = HotFile {
            original,
            sibling,
            name,
            content_type: content_type.into(),
            coding,
            varies: may_vary,
            cache_control: self.lifetimes.cache_control(&path).map(Box::from),
            ..HotFile::default()
        };
        let length = sent.meta.length;
        file.contents = Contents::File(Arc::new(sent.file));
        let mut turn = None;
        if is_kept && length <= SHORT && self.read(&mut file, length).await && may_vary && coding.is_none() {
            match self.encode(&mut file, wanted).await {
                Encoded::Before(file) => return Sendable { file, is_hot: false },
                Encoded::Now(own) => turn = own,
            }
        }
        let whole =
            FileAnswer::new(&Request { method: b"HEAD".to_vec(), ..Request::default() }, &file.representation(), now);
        let file = Arc::new(file.with_head(whole.fields, wanted.now));
        if let Some(hot) = self.hot.as_ref().filter(|_| is_kept && length <= OPEN) {
            let form = if may_vary {
                hot.put(wanted.path, Form::Any, Kept::Varies);
                coded_form(wanted.accepted)
            } else {
                Form::Any
            };
            hot.put(wanted.path, form, Kept::File(file.clone()));
        }
        // The next one finds it.
        drop(turn);
        Sendable { file, is_hot: false }
    }

    /// Reads a short file whole; whether it could, and the file is unchanged. Otherwise it stays a file.
    async fn read(&self, file: &mut HotFile, length: u64) -> bool {
        let Contents::File(open) = &file.contents else { return false };
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        let count = match read_now(open.as_fd(), &mut bytes, 0) {
            Ok(Some(count)) if count == bytes.len() => Some(count),
            Err(_) => None,
            Ok(_) => {
                let open = open.clone();
                let reading = tokio::task::spawn_blocking(move || {
                    let count = rustix::io::pread(&*open, &mut bytes, 0);
                    (bytes, count)
                });
                match reading.await {
                    Ok((back, Ok(count))) => {
                        bytes = back;
                        Some(count)
                    }
                    _ => return false,
                }
            }
        };
        let is_whole = count == Some(bytes.len());
        if is_whole {
            file.contents = Contents::Memory(bytes.into());
        }
        is_whole
    }

    /// Compresses a kept file as the client likes best, once for all who take the same.
    async fn encode(&self, file: &mut HotFile, wanted: &Wanted<'_>) -> Encoded {
        let Contents::Memory(bytes) = &file.contents else { return Encoded::Now(None) };
        let best = wanted.accepted.shortest_by_weight().next();
        let coding = best.filter(|_| wanted.compress && bytes.len() >= SHORTEST);
        let Some(coding) = coding else { return Encoded::Now(None) };
        let Ok(turn) = TURNS.acquire().await else { return Encoded::Now(None) };
        if let Some(Kept::File(made)) =
            self.hot.as_ref().and_then(|hot| hot.get(wanted.path, coded_form(wanted.accepted)))
            && (made.original, made.sibling) == (file.original, file.sibling)
        {
            return Encoded::Before(made);
        }
        let bytes = bytes.clone();
        // Takes milliseconds, so not on this thread. The turn goes along, as the asker may leave meanwhile.
        let coded = tokio::task::spawn_blocking(move || (coding.encode(&bytes), turn));
        let Ok((coded, turn)) = coded.await else { return Encoded::Now(None) };
        if let Some(coded) = coded {
            file.coding = Some((coding, CodedBy::Server));
            file.contents = Contents::Memory(Bytes::from(coded));
        }
        Encoded::Now(Some(turn))
    }
}
