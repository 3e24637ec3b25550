//! The principal functions are [`is_written_by`] and [`with_places`]: frames as Austin writes them,
//! `/srv/app.py:handle:12`.
//!
//! Austin's own lines, `# austin: 3.7.0`, are lost where others compress or convert its files; and other frames have
//! colons, too. So without them all frames decide together.

use crate::frame::{Frame, FrameId, FrameKind};
use crate::profile::Profile;
use crate::stack::StackId;
use crate::text::UNKNOWN;

/// Of ten functions, this many are Austin's in a file of its.
const MOST: usize = 9;

/// The time of a sample with all that Austin measures, `1066,0,-8192`: time, whether it was idle, memory.
pub(super) fn time_of(metrics: &str) -> Option<&str> {
    let (time, others) = metrics.split_once(',')?;
    (others.starts_with("0,") || others.starts_with("1,")).then_some(time)
}

/// Function, file and line of a frame.
fn place(text: &str) -> Option<(&str, &str, u32)> {
    let mut parts = text.rsplitn(3, ':');
    let (line, name, file) = (parts.next()?, parts.next()?, parts.next()?);
    // A name that Austin cannot read is empty.
    let name = if name.is_empty() && is_path(file) { UNKNOWN } else { name };
    let is_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    // `a::b:12` is C++.
    let is_place = is_line && !name.is_empty() && !file.is_empty() && !file.ends_with(':');
    Some((name, file, line.parse().ok()?)).filter(|_| is_place)
}

/// Whether a place can be little else: a path or Python's own name of one, and a function of Python. Node.js has
/// columns where the line is, V8 lines where the function is.
fn is_certain((name, file, _): (&str, &str, u32)) -> bool {
    let is_own = file.starts_with('<') && file.ends_with('>');
    let is_function = name.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '<'))
        && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '<' | '>' | '.'));
    (is_path(file) || is_own) && is_function
}

fn is_path(file: &str) -> bool {
    !file.contains([' ', '(']) && (file.contains(['/', '\\']) || file.ends_with(".py"))
}

/// `P4242`, `T0:7f45`, `T0x7f45`, `:GC:`: Austin's processes, threads and states.
fn is_mark(text: &str) -> bool {
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit() || b":x".contains(&byte));
    text.strip_prefix(['P', 'T']).is_some_and(is_id) || (text.len() > 2 && text.starts_with(':') && text.ends_with(':'))
}

/// Whether nearly all frames of a profile are Austin's.
pub(super) fn is_written_by(profile: &Profile) -> bool {
    let (mut functions, mut found) = (0, 0);
    for (_, frame) in profile.frames.iter().filter(|(_, frame)| !is_mark(frame.name)) {
        functions += 1;
        found += usize::from(frame.file.is_empty() && place(frame.name).is_some_and(is_certain));
    }
    found > 0 && 10 * found >= MOST * functions
}

/// Gives frames their files and lines: a function whose lines were several frames is one. Returns, by index, what its
/// stacks have become.
pub(super) fn with_places(profile: &mut Profile) -> Vec<StackId> {
    let from = std::mem::take(profile);
    *profile = Profile { about: from.about, notes: from.notes, clusters: from.clusters, ..Profile::default() };
    let placed = |frame: Frame<'_>| {
        let is_function = frame.file.is_empty() && frame.kind == FrameKind::Function;
        match place(frame.name).filter(|_| is_function) {
            Some((name, file, line)) => profile.frames.intern(Frame { name, file, line, kind: frame.kind }),
            None => profile.frames.intern(frame),
        }
    };
    let frames: Vec<FrameId> = from.frames.iter().map(|(_, frame)| frame).map(placed).collect();
    let mut stacks: Vec<StackId> = Vec::with_capacity(from.stacks.len());
    for stack in from.stacks.iter() {
        // Lower stacks come first.
        let below = from.stacks.below(stack).map(|below| stacks[below.index()]);
        let frame = from.stacks.frame(stack).map(|frame| frames[frame.index()]);
        stacks.push(match below.zip(frame) {
            Some((below, frame)) => profile.stacks.push(below, frame),
            None => profile.stacks.root(),
        });
    }
    stacks
}
