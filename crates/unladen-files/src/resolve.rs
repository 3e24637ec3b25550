//! [`Root::resolve`]: finds what answers a path.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;
use unladen_cache::{Accepted, Coding};

use crate::htaccess::Access;
use crate::open_file::{Meta, OpenFile, Refusal, Resolved, Script};
use crate::private_names::{Place, Rules, Try, private};
use crate::request_path::RequestPath;
use crate::root::{Folder, Root};

/// Most places in a path where a script's name may end and `PATH_INFO` begin.
const MOST_SPLITS: usize = 4;
/// Below the root, an index script of fewer bytes only prevents listing: `<?php // Silence is golden.`
const SHORTEST_INDEX: i64 = 128;
/// Never waits for a pipe's writer, and never makes a terminal the controlling one.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
/// For files that others read: whether it exists.
const LOOK: OFlags = OFlags::PATH;

pub(crate) enum Found {
    Nothing,
    Folder,
    File(OpenFile),
    /// A regular file with a script's name.
    Script,
}

pub(crate) struct Search<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) links: &'a [Folder],
    pub(crate) rules: &'a Rules,
    pub(crate) now: Instant,
}

struct Opened<'a> {
    file: OwnedFd,
    linked: Option<(&'a Folder, Vec<u8>)>,
}

impl Root {
    /// Finds what answers a path. `now` is only for the root's own path, which is looked at once a second.
    ///
    /// For an application's page this takes one system call: the file does not exist, and the script that answers all
    /// other paths is not looked for.
    pub fn resolve(&self, path: &RequestPath<'_>, rules: &Rules, now: Instant) -> Resolved {
        let folder = self.folder(now);
        Search { folder: &folder, links: self.links(), rules, now }.resolve(path).unwrap_or_else(Resolved::Refused)
    }

    /// The coded form beside a file that the client likes best: `style.css.br`, `.zst`, `.gz`. A form that is older
    /// than the file belongs to an earlier content, and is ignored; so is one that cannot be read.
    pub fn precompressed(
        &self,
        file: &OpenFile,
        accepted: Accepted,
        rules: &Rules,
        now: Instant,
    ) -> Option<(Coding, OpenFile)> {
        let folder = self.folder(now);
        let search = Search { folder: &folder, links: self.links(), rules, now };
        accepted.shortest_by_weight().find_map(|coding| {
            let extension: &[u8] = match coding {
                Coding::Brotli => b".br",
                Coding::Zstd => b".zst",
                Coding::Gzip => b".gz",
            };
            match search.look(&[&file.path, extension].concat()) {
                Ok(Found::File(coded)) if coded.meta.modified >= file.meta.modified => Some((coding, coded)),
                _ => None,
            }
        })
    }
}

impl Search<'_> {
    fn resolve(&self, path: &RequestPath<'_>) -> Result<Resolved, Refusal> {
        let (fit, unfit) = path.fit(self.rules.hidden);
        // No file's name ends with a slash.
        let name = (unfit.is_none() && !path.ends_with_slash()).then(|| fit.get(1..).unwrap_or_default());
        let mut is_folder = None;
        for (place, next) in self.rules.tries.iter().enumerate() {
            let is_last = place + 1 == self.rules.tries.len();
            match next {
                Try::Path(behind) if behind.is_empty() => {
                    match name.map_or(Ok(Found::Nothing), |name| self.look(name))? {
                        Found::File(file) => return Ok(Resolved::File(file)),
                        Found::Script => return Ok(self.script(fit, &[])),
                        Found::Folder => is_folder = Some(true),
                        Found::Nothing if name.is_some() => is_folder = Some(false),
                        Found::Nothing => (),
                    }
                    if let Some(script) = self.split(fit, path)? {
                        return Ok(script);
                    }
                }
                Try::Path(behind) => {
                    let Some(name) = name else { continue };
                    if let Some(found) = self.found([name, behind.as_bytes()].concat())? {
                        return Ok(found);
                    }
                }
                Try::Folder if unfit.is_some() => (),
                Try::Folder => {
                    let folder = fit.strip_suffix(b"/").unwrap_or(fit).strip_prefix(b"/").unwrap_or_default();
                    let is_there = match is_folder {
                        Some(is_there) => is_there,
                        None => self.is_folder(folder)?,
                    };
                    is_folder = Some(is_there);
                    if is_there && !path.ends_with_slash() {
                        return Ok(Resolved::Redirect(encode(fit)));
                    }
                    for index in self.rules.index.iter().filter(|_| is_there) {
                        let separator: &[u8] = if folder.is_empty() { b"" } else { b"/" };
                        if let Some(found) = self.found([folder, separator, index.as_bytes()].concat())? {
                            return Ok(found);
                        }
                    }
                }
                Try::Fixed(fixed) if is_last && self.rules.scripts.is_script(fixed.as_bytes()) => {
                    let name = fixed.trim_start_matches('/').as_bytes();
                    self.permit(self.folder, name)?;
                    return Ok(self.script(name, &[]));
                }
                Try::Fixed(fixed) => {
                    if let Some(found) = self.found(fixed.trim_start_matches('/').into())? {
                        return Ok(found);
                    }
                }
                Try::Status(status) => return Ok(Resolved::Status(*status)),
            }
        }
        Ok(Resolved::NotFound)
    }

    fn found(&self, name: Vec<u8>) -> Result<Option<Resolved>, Refusal> {
        Ok(match self.look(&name)? {
            Found::File(file) => Some(Resolved::File(file)),
            Found::Script => Some(self.script(&name, &[])),
            Found::Folder | Found::Nothing => None,
        })
    }

    fn script(&self, name: &[u8], path_info: &[u8]) -> Resolved {
        let beneath = name.strip_prefix(b"/").unwrap_or(name);
        Resolved::Script(Script {
            filename: self.filename(beneath),
            root: self.folder.real.clone(),
            name: [b"/", beneath].concat(),
            path_info: path_info.to_vec(),
        })
    }

    /// A script at the longest prefix of the path that is one, with a rest behind it: it has to be a regular file
    /// itself, so that `upload.jpg/x.php` finds nothing.
    fn split(&self, fit: &[u8], path: &RequestPath<'_>) -> Result<Option<Resolved>, Refusal> {
        if self.rules.scripts.is_empty() {
            return Ok(None);
        }
        let slashes = (1..fit.len().min(path.bytes().len())).rev().filter(|at| fit.get(*at) == Some(&b'/'));
        let ends = slashes.filter(|at| fit.get(..*at).is_some_and(|start| self.rules.scripts.is_script(start)));
        for end in ends.take(MOST_SPLITS) {
            let start = fit.get(..end).unwrap_or_default();
            if matches!(self.look(start.strip_prefix(b"/").unwrap_or(start))?, Found::Script) {
                return Ok(Some(self.script(start, &path.decoded_from(end))));
            }
        }
        Ok(None)
    }

    pub(crate) fn look(&self, path: &[u8]) -> Result<Found, Refusal> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_script = self.rules.scripts.is_script(name);
        if name.is_empty() || (!is_script && self.rules.scripts.is_source(name)) {
            return Ok(Found::Nothing);
        }
        let opened = match self.open(path, if is_script { LOOK } else { READ }, is_script) {
            // Folders without read permission may still be entered.
            Err(Refusal::Denied(denied)) if !is_script => {
                return if self.is_folder(path)? { Ok(Found::Folder) } else { Err(Refusal::Denied(denied)) };
            }
            opened => opened?,
        };
        let Some(opened) = opened else { return Ok(Found::Nothing) };
        let stat = rustix::fs::fstat(&opened.file).map_err(|errno| self.refused(path, errno))?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            return Ok(Found::Folder);
        }
        let Some(meta) = Meta::of(&stat) else { return Err(Refusal::Special(self.whole(path))) };
        self.permit(self.folder, path)?;
        if let Some((folder, real)) = &opened.linked {
            self.permit(folder, real)?;
        }
        if is_script {
            return Ok(Found::Script);
        }
        Ok(Found::File(OpenFile { file: opened.file, meta, path: path.to_vec() }))
    }

    /// Refuses private names, and files that an `.htaccess` on the way refuses: of the folders' own rules the last
    /// counts, and sections for files come before them, as with Apache.
    fn permit(&self, folder: &Folder, path: &[u8]) -> Result<(), Refusal> {
        let Some(names) = &self.rules.private else { return Ok(()) };
        if names.allows(path) {
            return Ok(());
        }
        let slash = path.iter().rposition(|byte| *byte == b'/');
        let (parent, name) = match slash {
            Some(at) => (path.get(..at).unwrap_or_default(), path.get(at + 1..).unwrap_or_default()),
            None => (&[][..], path),
        };
        let whole = |path: &[u8]| folder.real.join(OsStr::from_bytes(path));
        if !self.rules.scripts.is_script(name)
            && let Some(entry) = private(name)
            && match entry.place {
                Place::Everywhere => true,
                Place::WithScripts => !self.rules.scripts.is_empty(),
                Place::BesideIndex => self.has_index_script(folder, parent),
            }
        {
            return Err(Refusal::Private(whole(path), entry.why));
        }
        let (mut of_folders, mut of_files) = (None, None);
        let slashes = parent.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let own = (!parent.is_empty()).then_some(parent.len());
        for end in std::iter::once(0).chain(slashes).chain(own) {
            let above = parent.get(..end).unwrap_or_default();
            let known = folder.known(above, self.now);
            let Some(htaccess) = &known.htaccess else { continue };
            let at = |access: &Access| (end, access.clone());
            of_folders = htaccess.of_folder().map(at).or(of_folders);
            of_files = htaccess.of_file(name).map(at).or(of_files);
        }
        match of_files.or(of_folders) {
            Some((end, Access::Denied(denial))) => {
                let file = whole(path.get(..end).unwrap_or_default()).join(".htaccess");
                Err(Refusal::Htaccess(whole(path), file, denial))
            }
            _ => Ok(()),
        }
    }

    /// Whether a folder is an application's own.
    fn has_index_script(&self, folder: &Folder, parent: &[u8]) -> bool {
        let separator: &[u8] = if parent.is_empty() { b"" } else { b"/" };
        let scripts = self.rules.index.iter().filter(|index| self.rules.scripts.is_script(index.as_bytes()));
        let mut opened = scripts.map(|index| folder.beneath(&[parent, separator, index.as_bytes()].concat(), LOOK));
        opened.any(|opened| match opened {
            Ok(file) => {
                let is_short = |stat: rustix::fs::Stat| stat.st_size < SHORTEST_INDEX;
                parent.is_empty() || !rustix::fs::fstat(&file).is_ok_and(is_short)
            }
            // A link counts, too.
            Err(errno) => errno == Errno::LOOP,
        })
    }

    fn is_folder(&self, path: &[u8]) -> Result<bool, Refusal> {
        Ok(path.is_empty() || self.open(path, LOOK | OFlags::DIRECTORY, false)?.is_some())
    }

    fn open(&self, path: &[u8], flags: OFlags, is_script: bool) -> Result<Option<Opened<'_>>, Refusal> {
        match self.folder.beneath(path, flags) {
            Ok(file) => Ok(Some(Opened { file, linked: None })),
            Err(Errno::LOOP) => self.open_linked(path, flags, is_script),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::INVAL) => Ok(None),
            Err(errno) => Err(self.refused(path, errno)),
        }
    }

    /// For paths with links: follows them, and opens the target by its real name, if that is beneath the root and may
    /// be sent. If a link changes meanwhile, nothing else is opened for it.
    #[cold]
    fn open_linked(&self, path: &[u8], flags: OFlags, is_script: bool) -> Result<Option<Opened<'_>>, Refusal> {
        let whole = self.whole(path);
        let Ok(real) = std::fs::canonicalize(&whole) else { return Ok(None) };
        let places = std::iter::once(self.folder).chain(self.links);
        let place = places.filter_map(|folder| Some((folder, real.strip_prefix(&folder.real).ok()?))).next();
        let Some((folder, beneath)) = place else { return Err(Refusal::Outside(whole, real)) };
        if !self.may_be_sent(beneath, is_script) {
            return Err(Refusal::Unsent(whole, real));
        }
        let beneath = if beneath.as_os_str().is_empty() { Path::new(".") } else { beneath };
        match folder.beneath(beneath.as_os_str().as_bytes(), flags) {
            Ok(file) => {
                let at = beneath.as_os_str().as_bytes().to_vec();
                Ok(Some(Opened { file, linked: Some((folder, at)) }))
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(errno) => Err(self.refused(path, errno)),
        }
    }

    /// Whether a link may lead to this: not to a name that would itself be hidden.
    fn may_be_sent(&self, beneath: &Path, is_script: bool) -> bool {
        let mut names = beneath.iter().map(OsStr::as_bytes).enumerate();
        let is_hidden = |(at, name): (usize, &[u8])| name.starts_with(b".") && !(at == 0 && name == b".well-known");
        let name = beneath.file_name().map(OsStr::as_bytes).unwrap_or_default();
        (self.rules.hidden || !names.any(is_hidden))
            && self.rules.scripts.is_script(name) == is_script
            && (is_script || !self.rules.scripts.is_source(name))
    }

    /// A script's location: its folder without links, so that PHP's cache sees another file after a deployment; and its
    /// own name, which may be a link: packages put them beside an application's settings (`/var/lib/mediawiki`).
    fn filename(&self, beneath: &[u8]) -> PathBuf {
        match beneath.iter().rposition(|byte| *byte == b'/') {
            Some(at) => {
                let (parent, name) = beneath.split_at(at);
                self.folder.real_of(parent, self.now).join(OsStr::from_bytes(name.get(1..).unwrap_or_default()))
            }
            None => self.whole(beneath),
        }
    }

    fn whole(&self, path: &[u8]) -> PathBuf {
        self.folder.real.join(OsStr::from_bytes(path))
    }

    fn refused(&self, path: &[u8], errno: Errno) -> Refusal {
        let whole = self.whole(path);
        match errno {
            Errno::ACCESS | Errno::PERM => Refusal::Denied(whole),
            // A socket, or a missing device.
            Errno::NXIO | Errno::NODEV => Refusal::Special(whole),
            Errno::MFILE | Errno::NFILE | Errno::NOMEM => Refusal::Exhausted(whole, errno),
            _ => Refusal::Failed(whole, errno),
        }
    }
}

/// A folder's path with a final slash, encoded for a URL; unreserved characters stay (RFC 3986, section 3.3). It begins
/// with one slash, since the path has no empty segment: no browser takes it for another host's.
fn encode(path: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(path.len() + 8);
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(*byte),
            _ if b"/-._~!$&'()*+,;=:@".contains(byte) => encoded.push(*byte),
            _ => {
                encoded.push(b'%');
                for digit in [byte >> 4, byte & 15] {
                    encoded.push(b"0123456789ABCDEF".get(usize::from(digit)).copied().unwrap_or(b'0'));
                }
            }
        }
    }
    encoded.push(b'/');
    encoded
}

#[cfg(test)]
mod tests;
