//! Names of code that processes generate. The principal type is [`PerfMap`]: a file in which a process lists it.
//!
//! Source: tools/perf/Documentation/jit-interface.txt of Linux; written by Node.js with `--perf-basic-prof`, by Python
//! 3.12 with `-X perf`. The last line may be incomplete and any line may be invalid: such lines are skipped.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;
use unladen_profile::{Frame, FrameKind};

const MOST_BYTES: u64 = 64 << 20;
/// Further ones are left out: no program has as many, and any user may fill the file.
const MOST_FUNCTIONS: usize = 500_000;

#[derive(Debug, Default)]
pub(super) struct PerfMap {
    /// By start: end and name.
    functions: BTreeMap<u64, (u64, String)>,
}

impl PerfMap {
    /// A process's own map, /tmp/perf-PID.map as the process sees it, with the id in its own namespace. Files of others
    /// are refused, as anybody may write to /tmp.
    pub(super) fn of(pid: u32) -> Option<Self> {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
        let (own_id, root) = match &status {
            Ok(status) => (innermost_id(status).unwrap_or(pid), format!("/proc/{pid}/root")),
            Err(_) => (pid, String::new()),
        };
        let owner = status.ok().as_deref().and_then(user);
        Self::read(Path::new(&format!("{root}/tmp/perf-{own_id}.map")), owner)
    }

    /// `owner` is the required owner besides root; `None` if the process has ended.
    fn read(path: &Path, owner: Option<u32>) -> Option<Self> {
        // Does not block on a pipe of that name.
        let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
        let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path).ok()?;
        let metadata = file.metadata().ok()?;
        let is_own = metadata.uid() == 0 || owner.is_none_or(|owner| owner == metadata.uid());
        if !metadata.is_file() || !is_own {
            return None;
        }
        let mut text = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
        Some(Self::parse(&text))
    }

    fn parse(text: &[u8]) -> Self {
        let mut functions: BTreeMap<u64, (u64, String)> = BTreeMap::new();
        for line in text.split(|byte| *byte == b'\n') {
            let Some((start, end, name)) = function(line) else { continue };
            // Replaces earlier code in its range.
            let replaced: Vec<u64> = functions.range(start..end).map(|(start, _)| *start).collect();
            for start in replaced {
                functions.remove(&start);
            }
            if functions.len() < MOST_FUNCTIONS {
                functions.insert(start, (end, name));
            }
        }
        Self { functions }
    }

    pub(super) fn name(&self, address: u64) -> Option<&str> {
        let (_, (end, name)) = self.functions.range(..=address).next_back()?;
        (address < *end).then_some(name)
    }
}

/// `START SIZE name`, in hexadecimal digits.
fn function(line: &[u8]) -> Option<(u64, u64, String)> {
    let line = String::from_utf8_lossy(line);
    let mut fields = line.splitn(3, ' ');
    let hex = |text: &str| u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok();
    let (start, size) = (hex(fields.next()?)?, hex(fields.next()?)?);
    let name = fields.next()?.trim();
    (size > 0 && !name.is_empty()).then(|| (start, start.saturating_add(size), name.to_owned()))
}

/// A process's id in the innermost PID namespace, from /proc/PID/status.
fn innermost_id(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("NStgid:"))?.split_ascii_whitespace().next_back()?.parse().ok()
}

fn user(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Parses a name in such a file: Python's `py::function:/file.py`, V8's `JS:*function file.js:10:3` and the like;
/// others stay as they are.
pub(super) fn frame(name: &str) -> Frame<'_> {
    python(name).or_else(|| javascript(name)).unwrap_or(Frame { name, file: "", line: 0, kind: FrameKind::Native })
}

fn python(name: &str) -> Option<Frame<'_>> {
    let (function, file) = name.strip_prefix("py::")?.split_once(':')?;
    Some(match function {
        "<module>" => Frame { name: file, file, line: 0, kind: FrameKind::Include },
        _ => Frame { name: function, file, line: 0, kind: FrameKind::Function },
    })
}

fn javascript(name: &str) -> Option<Frame<'_>> {
    let (tag, rest) = name.split_once(':')?;
    if !matches!(tag, "JS" | "LazyCompile" | "Function" | "Eval" | "Script") {
        return None;
    }
    // Marks of the degree of compilation.
    let rest = rest.trim_start_matches(['*', '~', '^', '+', '\'']);
    let (function, place) = rest.split_once(' ').unwrap_or(("", rest));
    let (file, line) = file_and_line(place);
    let function = if function.is_empty() { if file.is_empty() { "(anonymous)" } else { file } } else { function };
    Some(Frame { name: function, file, line, kind: FrameKind::Function })
}

/// Splits off `:LINE:COLUMN`, or `:LINE` as V8 wrote it up to Node.js 18; the line is 0 if there is none.
fn file_and_line(place: &str) -> (&str, u32) {
    let before_number = |text: &'_ str| -> Option<(usize, u32)> {
        let (before, number) = text.rsplit_once(':')?;
        Some((before.len(), number.parse().ok()?))
    };
    let Some((end, last)) = before_number(place) else { return (place, 0) };
    match before_number(&place[..end]) {
        Some((end, line)) => (&place[..end], line),
        None => (&place[..end], last),
    }
}

#[cfg(test)]
mod tests;
