//! Functions of programs and libraries that followed processes run. The principal type is [`Functions`].

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use libbpf_rs::{Link, Object, UprobeOpts};
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use unladen_trace::{EvidenceSource, Missing};

use super::families::{FAMILIES, Family};
use super::kernel::Kernel;
use super::mapped::{Mapped, mapped};
use super::object::{FUNCTIONS, open};
use super::refusal::refusal;
use super::{TraceError, log};
use crate::regular_file::reopened;

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
                    TraceError::Refused { .. } => "a kernel that takes the program; please report what it says",
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
        log::said();
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
