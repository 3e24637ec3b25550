//! The kernel's part: loaded, and attached. The principal type is [`Kernel`].

use libbpf_rs::{Link, Map, MapCore, MapFlags, MapHandle, Object, ObjectBuilder, OpenObject, UprobeOpts};
use unladen_trace::{Missing, Source};

use super::{TraceError, TracerConfig, calls, log};

/// libelf wants numbers where they can be read as such.
#[repr(C, align(8))]
struct Aligned<T: ?Sized>(T);

static CALLS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/calls.bpf.o")));
static FUNCTIONS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/functions.bpf.o")));

/// The program that is done without where the kernel has no such tracepoint.
const ESTABLISHED: &str = "on_state";

/// Maps that both objects use.
const SHARED: [&str; 4] = ["watched", "events", "counts", "lost"];

/// Pages of a ring.
const LEAST_RING: u32 = 4096;

/// Programs and maps.
#[derive(Debug)]
pub(super) struct Kernel {
    /// Goes first, as what is attached goes with it.
    links: Vec<Link>,
    calls: Object,
    /// `None` where functions cannot be traced.
    functions: Option<Object>,
    pub(super) missing: Vec<Missing>,
}

impl Kernel {
    /// Loads all, attaches what is not of one program or library.
    pub(super) fn open(config: &TracerConfig) -> Result<Self, TraceError> {
        log::listen();
        let mut missing = Vec::new();
        let calls = match load_calls(config, true) {
            Ok(object) => object,
            Err(first) => match load_calls(config, false) {
                Ok(object) => {
                    missing.push(Missing {
                        source: Source::Syscalls,
                        why: format!("when connections stand cannot be seen: {first}"),
                        takes: "a kernel with the tracepoint sock:inet_sock_set_state".into(),
                    });
                    object
                }
                Err(_) => return Err(first),
            },
        };
        let functions = match load_functions(&calls) {
            Ok(object) => Some(object),
            Err(error) => {
                for source in [Source::Php, Source::Perl, Source::Sqlite] {
                    let takes = "a kernel with CONFIG_UPROBE_EVENTS".into();
                    missing.push(Missing { source, why: error.to_string(), takes });
                }
                None
            }
        };
        let mut kernel = Self { links: Vec::new(), calls, functions, missing };
        kernel.describe_calls()?;
        kernel.attach()?;
        Ok(kernel)
    }

    fn describe_calls(&self) -> Result<(), TraceError> {
        let map = self.map("calls")?;
        for call in calls::all() {
            let number = u32::try_from(call.number).unwrap_or(u32::MAX);
            map.update(&number.to_ne_bytes(), &call.raw(), MapFlags::ANY)
                .map_err(|error| TraceError::failed("describing system calls", error))?;
        }
        Ok(())
    }

    fn attach(&mut self) -> Result<(), TraceError> {
        for program in self.calls.progs_mut().filter(|program| program.autoload()) {
            let link = program.attach().map_err(|error| refusal("attaching to tracepoints", error))?;
            self.links.push(link);
        }
        Ok(())
    }

    /// A map by its name.
    pub(super) fn map(&self, name: &str) -> Result<Map<'_>, TraceError> {
        map_of(&self.calls, name)
    }

    /// The ring, for a thread of its own.
    pub(super) fn ring(&self) -> Result<MapHandle, TraceError> {
        MapHandle::try_from(&self.map("events")?).map_err(|error| TraceError::failed("reading events", error))
    }

    /// Whether functions can be traced at all.
    pub(super) fn has_functions(&self) -> bool {
        self.functions.is_some()
    }

    /// Attaches a program to a function's entry or its return, in all processes that run that file: which of them are followed
    /// is decided in the kernel, as workers come and go.
    pub(super) fn attach_function(
        &self,
        program: &str,
        file: &std::path::Path,
        symbol: &str,
        at_return: bool,
    ) -> Result<Link, String> {
        let programs = self.functions.as_ref().map(|object| object.progs_mut());
        let found = programs.into_iter().flatten().find(|found| found.name() == program);
        let found = found.ok_or_else(|| format!("no program {program}"))?;
        let options = UprobeOpts { func_name: Some(symbol.to_owned()), retprobe: at_return, ..UprobeOpts::default() };
        let attached = found.attach_uprobe_with_opts(-1, file, 0, options).map_err(|error| format!("{error:#}"));
        log::said();
        attached
    }
}

/// A map of an object.
fn map_of<'a>(object: &'a Object, name: &str) -> Result<Map<'a>, TraceError> {
    object
        .maps()
        .find(|map| map.name() == name)
        .ok_or_else(|| TraceError::failed("finding a map", format!("there is no {name}")))
}

fn open(bytes: &[u8]) -> Result<OpenObject, TraceError> {
    ObjectBuilder::default().open_memory(bytes).map_err(|error| refusal("reading its own programs", error))
}

fn load_calls(config: &TracerConfig, with_established: bool) -> Result<Object, TraceError> {
    let mut object = open(&CALLS.0)?;
    for mut map in object.maps_mut().filter(|map| map.name() == "events") {
        // What the kernel takes: a power of two, of pages.
        let bytes = config.ring_bytes.max(LEAST_RING).checked_next_power_of_two().unwrap_or(1 << 31);
        map.set_max_entries(bytes).map_err(|error| TraceError::failed("making the ring of events", error))?;
    }
    for mut program in object.progs_mut().filter(|program| program.name() == ESTABLISHED) {
        program.set_autoload(with_established);
    }
    object.load().map_err(|error| refusal("loading its programs", error))
}

fn load_functions(calls: &Object) -> Result<Object, TraceError> {
    let mut object = open(&FUNCTIONS.0)?;
    for mut map in object.maps_mut() {
        let Some(shared) = SHARED.iter().find(|shared| map.name() == **shared) else { continue };
        let of_calls = map_of(calls, shared)?;
        map.reuse_fd(std::os::fd::AsFd::as_fd(&of_calls))
            .map_err(|error| TraceError::failed("sharing maps between programs", error))?;
    }
    object.load().map_err(|error| refusal("loading its programs for functions", error))
}

/// What libbpf said, told apart.
fn refusal(doing: &'static str, error: libbpf_rs::Error) -> TraceError {
    let said = log::said();
    if said.contains("BEGIN PROG LOAD LOG") {
        return TraceError::Refused { log: log::reason(&said) };
    }
    match error.kind() {
        libbpf_rs::ErrorKind::PermissionDenied => TraceError::NotAllowed,
        libbpf_rs::ErrorKind::OutOfMemory => TraceError::Memory,
        _ => {
            let last = said.lines().last().unwrap_or_default().trim_start_matches("libbpf: ").to_owned();
            TraceError::Failed {
                doing,
                why: if last.is_empty() { format!("{error:#}") } else { format!("{error}: {last}") },
            }
        }
    }
}
