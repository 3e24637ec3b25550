//! Functions of programs and libraries that followed processes run. The principal type is [`Functions`].

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use libbpf_rs::{Link, Object, UprobeOpts};
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use unladen_trace::{EvidenceSource, Missing};

use crate::procfs::reopened;
use crate::trace::TraceError;
use crate::trace::kernel::Kernel;
use crate::trace::object::{FUNCTIONS, open, refusal, said};

/// Maps shared with system calls.
const SHARED: [&str; 5] = ["watched", "events", "counts", "lost", "own"];

#[derive(Debug)]
pub(super) struct Functions {
    /// Dropped first, which detaches.
    links: Vec<Link>,
    /// `None` if functions cannot be traced.
    programs: Option<Object>,
    files: HashMap<(EvidenceSource, (String, u64)), bool>,
    sources: BTreeSet<EvidenceSource>,
    missing: Vec<Missing>,
}

impl Functions {
    /// Loads the programs; if the kernel refuses them, everything else works without.
    pub(super) fn load(kernel: &Kernel) -> Self {
        let (programs, missing) = match load(kernel) {
            Ok(programs) => (Some(programs), Vec::new()),
            Err(error) => {
                let takes = match error {
                    TraceError::Refused { .. } => "a kernel that accepts the program; please report its message",
                    _ => "a kernel with CONFIG_UPROBE_EVENTS",
                };
                let missing = FAMILIES.iter().map(|family| Missing {
                    source: family.source,
                    why: error.to_string(),
                    takes: takes.into(),
                });
                (None, missing.collect())
            }
        };
        Self { links: Vec::new(), programs, files: HashMap::new(), sources: BTreeSet::new(), missing }
    }

    pub(super) fn look(&mut self, pid: u32) {
        if self.programs.is_none() {
            return;
        }
        let files = mapped(pid);
        for family in FAMILIES {
            let of_family: Vec<&Mapped> = files.iter().filter(|file| (family.is)(file.name())).collect();
            let mut failed = None;
            for file in &of_family {
                let key = (family.source, file.file.clone());
                if self.files.contains_key(&key) {
                    continue;
                }
                let attached = self.attach(family, file, pid);
                // An ended process takes its files' paths along: the next one is tried again.
                if attached.is_err() && !Path::new(&format!("/proc/{pid}")).exists() {
                    return;
                }
                self.files.insert(key, attached.is_ok());
                failed = attached.err().or(failed);
            }
            // A statically linked program has the functions itself.
            let seen = of_family.iter().any(|file| self.files.get(&(family.source, file.file.clone())) == Some(&true));
            match failed {
                Some(why) if !seen => {
                    self.missing.push(Missing { source: family.source, why, takes: family.takes.into() });
                }
                _ if seen => _ = self.sources.insert(family.source),
                _ => {}
            }
        }
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = EvidenceSource> {
        self.sources.iter().copied()
    }

    pub(super) fn missing(&self) -> &[Missing] {
        &self.missing
    }

    fn attach(&mut self, family: &Family, file: &Mapped, pid: u32) -> Result<(), String> {
        let path = opened(file, pid)?;
        let mut links = Vec::new();
        for function in family.functions {
            let mut attach = |program: &str, at_return: bool| {
                self.attach_one(program, &path, function.symbol, at_return).map(|link| links.push(link))
            };
            // The return goes first: an entry without it would leave entries behind.
            let attached = function
                .at_return
                .map_or(Ok(()), |program| attach(program, true))
                .and_then(|()| attach(function.entry, false));
            if let Err(why) = attached
                && function.needed
            {
                return Err(format!("{}: cannot attach to its function {}: {why}", file.path, function.symbol));
            }
        }
        self.links.append(&mut links);
        Ok(())
    }

    /// Attaches in all processes that run the file: the kernel's part decides which are followed, as workers come and
    /// go.
    fn attach_one(&self, program: &str, file: &Path, symbol: &str, at_return: bool) -> Result<Link, String> {
        let programs = self.programs.as_ref().map(Object::progs_mut);
        let found = programs.into_iter().flatten().find(|found| found.name() == program);
        let found = found.ok_or_else(|| format!("no program {program}"))?;
        let options = UprobeOpts { func_name: Some(symbol.to_owned()), retprobe: at_return, ..UprobeOpts::default() };
        let attached = found.attach_uprobe_with_opts(-1, file, 0, options).map_err(|error| format!("{error:#}"));
        said();
        attached
    }
}

fn load(kernel: &Kernel) -> Result<Object, TraceError> {
    let mut object = open(&FUNCTIONS.0)?;
    for mut map in object.maps_mut() {
        let Some(shared) = SHARED.iter().find(|shared| map.name() == **shared) else { continue };
        let of_calls = kernel.map(shared)?;
        map.reuse_fd(of_calls.as_fd()).map_err(|error| TraceError::failed("sharing maps between programs", error))?;
    }
    object.load().map_err(|error| refusal("loading its programs for functions", error))
}

fn opened(file: &Mapped, pid: u32) -> Result<PathBuf, String> {
    let mut last = String::new();
    for path in file.openable(pid) {
        // A container may have put something else than a file there meanwhile.
        let found = nix::fcntl::open(&path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty()).map_err(io::Error::from);
        match found.and_then(reopened) {
            Ok(_) => return Ok(path),
            Err(error) => last = error.to_string(),
        }
    }
    Err(format!("{}: {last}", file.path))
}

/// Programs and libraries of a kind, whose functions are traced.
pub(super) struct Family {
    pub(super) source: EvidenceSource,
    pub(super) is: fn(&str) -> bool,
    pub(super) functions: &'static [Function],
    /// What to install if such a file has none of the functions.
    pub(super) takes: &'static str,
}

/// A function, and the programs of bpf/functions.bpf.c for its entry and its return.
pub(super) struct Function {
    pub(super) symbol: &'static str,
    pub(super) entry: &'static str,
    pub(super) at_return: Option<&'static str>,
    /// Without it, the family is not traced.
    pub(super) needed: bool,
}

const fn function(
    symbol: &'static str,
    entry: &'static str,
    at_return: Option<&'static str>,
    needed: bool,
) -> Function {
    Function { symbol, entry, at_return, needed }
}

pub(super) const FAMILIES: &[Family] = &[
    Family {
        source: EvidenceSource::Php,
        is: |name| name.starts_with("php") || name.starts_with("libphp"),
        functions: &[
            function("compile_file", "php_compile", Some("php_compiled"), true),
            function("zend_lookup_class_ex", "php_class_lookup", None, false),
        ],
        takes: "a PHP that exports its functions, as Debian's does",
    },
    Family {
        source: EvidenceSource::Perl,
        is: |name| name.starts_with("perl") || name.starts_with("libperl.so"),
        functions: &[function("Perl_yyparse", "perl_parse", Some("perl_parsed"), true)],
        takes: "a Perl that exports its functions, as Debian's does",
    },
    Family {
        source: EvidenceSource::Sqlite,
        // Perl's DBD::SQLite, SQLite.so, may bring its own.
        is: |name| name.starts_with("libsqlite3") || name == "SQLite.so",
        functions: &[
            function("sqlite3_prepare_v2", "sqlite_prepare", Some("sqlite_prepared"), true),
            function("sqlite3_prepare_v3", "sqlite_prepare_v3", Some("sqlite_prepared"), false),
            function("sqlite3_prepare", "sqlite_prepare", Some("sqlite_prepared"), false),
            function("sqlite3_step", "sqlite_step", Some("sqlite_stepped"), true),
            function("sqlite3_reset", "sqlite_reset", None, false),
            function("sqlite3_finalize", "sqlite_reset", None, false),
        ],
        takes: "an SQLite that exports its functions, as Debian's does",
    },
];

/// A program or library that a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapped {
    /// Device and inode, as the kernel writes them.
    pub(super) file: (String, u64),
    /// As the process sees it.
    pub(super) path: String,
    /// Addresses, which name its link in /proc/PID/map_files.
    range: String,
}

/// Each file once; empty if the process has ended.
pub(super) fn mapped(pid: u32) -> Vec<Mapped> {
    parse(&std::fs::read(format!("/proc/{pid}/maps")).unwrap_or_default())
}

/// Lines as `55d0-55e0 r-xp 00001000 fe:00 1234   /usr/sbin/php-fpm8.2 (deleted)`.
fn parse(maps: &[u8]) -> Vec<Mapped> {
    let maps = String::from_utf8_lossy(maps);
    let mut all: Vec<Mapped> = maps
        .lines()
        .filter_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (rights, rest) = rest.split_once(' ')?;
            let (_offset, rest) = rest.split_once(' ')?;
            let (device, rest) = rest.split_once(' ')?;
            let (inode, path) = rest.split_once(' ')?;
            let path = path.trim_start();
            let path = path.strip_suffix(" (deleted)").unwrap_or(path).to_owned();
            let code = rights.contains('x') && path.starts_with('/');
            // map_files writes addresses without leading zeros.
            let (from, to) = range.split_once('-')?;
            let range = format!("{}-{}", plain(from), plain(to));
            code.then(|| inode.parse().ok().map(|inode| Mapped { file: (device.to_owned(), inode), path, range }))?
        })
        .collect();
    all.sort_by(|a, b| a.file.cmp(&b.file));
    all.dedup_by(|a, b| a.file == b.file);
    all
}

fn plain(address: &str) -> &str {
    let plain = address.trim_start_matches('0');
    if plain.is_empty() { "0" } else { plain }
}

impl Mapped {
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Paths that open it from here, best first. The link leads to the very file, also in containers and after an
    /// upgrade, but takes more privilege than the path as the process sees it.
    pub(super) fn openable(&self, pid: u32) -> [PathBuf; 2] {
        [format!("/proc/{pid}/map_files/{}", self.range).into(), format!("/proc/{pid}/root{}", self.path).into()]
    }
}

#[cfg(test)]
mod tests;
