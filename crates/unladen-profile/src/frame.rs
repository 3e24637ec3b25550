//! The principal types are [`Frame`], a place in the code, and [`Frames`], all frames of a profile, each once.

use std::collections::HashMap;

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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    kept: Vec<Kept>,
    texts: Vec<Box<str>>,
    text_ids: HashMap<Box<str>, u32>,
    ids: HashMap<(u32, u32, FrameKind), FrameId>,
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    name: u32,
    file: u32,
    line: u32,
    kind: FrameKind,
}

impl<'a> Frame<'a> {
    /// A function known by name only.
    pub fn function(name: &'a str) -> Self {
        Self { name, file: "", line: 0, kind: FrameKind::Function }
    }
}

impl FrameKind {
    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Include => "include",
            Self::ClassLookup => "class-lookup",
            Self::Native => "native",
            Self::Kernel => "kernel",
            Self::Group => "group",
        }
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
        let (name, file) = (self.text(frame.name), self.text(frame.file));
        if let Some(id) = self.ids.get(&(name, file, frame.kind)) {
            let kept = &mut self.kept[id.index()];
            if kept.line == 0 {
                kept.line = frame.line;
            }
            return *id;
        }
        // Four thousand million frames do not fit into memory.
        let id = FrameId(self.kept.len() as u32);
        self.kept.push(Kept { name, file, line: frame.line, kind: frame.kind });
        self.ids.insert((name, file, frame.kind), id);
        id
    }

    /// The frame with an id from this table.
    pub fn get(&self, id: FrameId) -> Frame<'_> {
        let kept = self.kept[id.index()];
        Frame {
            name: &self.texts[kept.name as usize],
            file: &self.texts[kept.file as usize],
            line: kept.line,
            kind: kept.kind,
        }
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

    fn text(&mut self, text: &str) -> u32 {
        if let Some(id) = self.text_ids.get(text) {
            return *id;
        }
        let id = self.texts.len() as u32;
        self.texts.push(text.into());
        self.text_ids.insert(text.into(), id);
        id
    }
}

#[cfg(test)]
mod tests;
