//! The principal types are [`Frame`], a place in the code, and [`Frames`], all of a profile's, each once.

use std::collections::HashMap;

/// A place in the code: what a sampling profiler finds on the stack.
///
/// Two frames of the same name, file and kind are one function, wherever in it the samples were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame<'a> {
    /// As its language writes it: `AutoLoader::find`, `Sympa::List::get_lists`, `do_syscall_64`; of a file's own code,
    /// its path.
    pub name: &'a str,
    /// Its file, or the module of native code; empty if it is not known.
    pub file: &'a str,
    /// The line where it begins; 0 if it is not known.
    pub line: u32,
    pub kind: FrameKind,
}

/// What a frame is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrameKind {
    /// A function of the application.
    #[default]
    Function,
    /// A file's own code, outside any function: it was included.
    Include,
    /// A look-up of a class, by an autoloader.
    ClassLookup,
    /// Machine code of a program or library.
    Native,
    /// The kernel's.
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
    /// A function of which nothing but the name is known.
    pub fn function(name: &'a str) -> Self {
        Self { name, file: "", line: 0, kind: FrameKind::Function }
    }
}

impl FrameKind {
    /// As it stands in files.
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
    /// From 0 on, in the order in which frames were first seen.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Frames {
    /// The frame's id; a line that was not known before is learnt.
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

    /// The frame of an id that these frames have given.
    pub fn get(&self, id: FrameId) -> Frame<'_> {
        let kept = self.kept[id.index()];
        Frame {
            name: &self.texts[kept.name as usize],
            file: &self.texts[kept.file as usize],
            line: kept.line,
            kind: kept.kind,
        }
    }

    /// The id with this index, if there is one.
    pub(crate) fn id(&self, index: u32) -> Option<FrameId> {
        ((index as usize) < self.kept.len()).then_some(FrameId(index))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// All of them, by id.
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
