//! The principal types are [`Frame`], a place in the code, and [`Frames`], all frames of a profile, each once.

use indexmap::{IndexMap, IndexSet};

/// A place in the code, as found on the stack by a sampling profiler.
///
/// Frames of the same name, file and kind are one function, wherever in it the samples were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame<'a> {
    /// In its language's notation: `AutoLoader::find`, `Sympa::List::get_lists`, `do_syscall_64`; the path for a file's
    /// own code.
    pub name: &'a str,
    /// File, or module of native code; empty if unknown.
    pub file: &'a str,
    /// First line; 0 if unknown.
    pub line: u32,
    pub kind: FrameKind,
}

/// The kind of a frame.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub enum FrameKind {
    #[default]
    Function,
    /// A file's code outside any function, run by including it.
    Include,
    /// An autoloader's look-up of a class.
    ClassLookup,
    /// Machine code of a program or library.
    Native,
    Kernel,
    /// No code: the group of processes below which its stacks lie.
    Group,
}

/// The index of a frame in [`Frames`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(u32);

/// The frames of a profile.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    /// With their first lines.
    kept: IndexMap<Kept, u32>,
    texts: IndexSet<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Kept {
    name: usize,
    file: usize,
    kind: FrameKind,
}

impl<'a> Frame<'a> {
    /// A function known by name only.
    pub fn function(name: &'a str) -> Self {
        Self { name, file: "", line: 0, kind: FrameKind::Function }
    }
}

impl FrameId {
    /// From 0, in the order in which frames were first seen.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Frames {
    /// The frame's id; an unknown line is filled in.
    pub fn intern(&mut self, frame: Frame<'_>) -> FrameId {
        let kept = Kept { name: self.text(frame.name), file: self.text(frame.file), kind: frame.kind };
        let entry = self.kept.entry(kept);
        // Four thousand million frames do not fit into memory.
        let id = FrameId(entry.index() as u32);
        let line = entry.or_insert(frame.line);
        if *line == 0 {
            *line = frame.line;
        }
        id
    }

    /// The frame with an id from this table.
    pub fn get(&self, id: FrameId) -> Frame<'_> {
        let line = self.kept[id.index()];
        let Kept { name, file, kind } = self.kept.keys()[id.index()];
        Frame { name: &self.texts[name], file: &self.texts[file], line, kind }
    }

    pub(crate) fn id(&self, index: u32) -> Option<FrameId> {
        ((index as usize) < self.kept.len()).then_some(FrameId(index))
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// All frames, by id.
    pub fn iter(&self) -> impl Iterator<Item = (FrameId, Frame<'_>)> {
        (0..self.kept.len() as u32).map(|index| (FrameId(index), self.get(FrameId(index))))
    }

    fn text(&mut self, text: &str) -> usize {
        self.texts.get_index_of(text).unwrap_or_else(|| self.texts.insert_full(text.into()).0)
    }
}

#[cfg(test)]
mod tests;
