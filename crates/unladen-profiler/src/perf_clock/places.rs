//! The principal type is [`Places`]: where in code samples were taken, and the stacks of those, each once.
//!
//! A process can end at any time, so an address is made a place in a file as soon as it is seen. What its name is, is
//! asked in the end, once for each place: that costs far more.

use std::collections::HashMap;
use std::hash::Hash;

use super::mappings::Backing;

/// The index of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StackIndex(u32);

/// A place in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CodeLocation {
    /// An address in the kernel.
    Kernel(u64),
    /// An offset in the file of a module.
    File {
        module: u32,
        offset: u64,
    },
    /// An address in code that a process has made itself.
    Made {
        module: u32,
        pid: u32,
        address: u64,
    },
    Somewhere {
        module: u32,
    },
}

/// What code lies in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Module {
    /// A file, and a process that has it mapped: in its eyes the path holds.
    File { path: String, inode: u64 },
    /// The kernel's for programs, such as `[vdso]`.
    Kernel(String),
    /// Code that processes of this name have made.
    Made(String),
    /// A program of this name that had ended before anybody looked.
    Ended(String),
}

/// Places, modules and stacks.
#[derive(Debug, Default)]
pub(super) struct Places {
    modules: Interned<Module>,
    /// The first process that was seen with a module.
    seen_in: Vec<u32>,
    places: Interned<CodeLocation>,
    /// Their places, the innermost first.
    stacks: Interned<Box<[u32]>>,
}

/// Beyond so many different stacks, those that come are kept without their frames: 127 of 4 bytes each are some 500 MB.
const MOST_STACKS: usize = 1 << 20;

#[derive(Debug)]
struct Interned<T> {
    all: Vec<T>,
    ids: HashMap<T, u32>,
}

// === impl Interned ===

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { all: Vec::new(), ids: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    fn intern(&mut self, one: T) -> u32 {
        if let Some(id) = self.ids.get(&one) {
            return *id;
        }
        let id = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(one.clone());
        self.ids.insert(one, id);
        id
    }
}

impl Places {
    /// The place of an address that lies in a mapping of a process of this name.
    pub(super) fn mapped(&mut self, pid: u32, comm: &str, backing: &Backing, offset: u64, address: u64) -> u32 {
        let place = match backing {
            Backing::File { path, inode } => {
                let module = self.module(Module::File { path: path.clone(), inode: *inode }, pid);
                CodeLocation::File { module, offset }
            }
            Backing::Kernel(name) => CodeLocation::Somewhere { module: self.module(Module::Kernel(name.clone()), pid) },
            Backing::Anonymous => {
                let module = self.module(Module::Made(comm.to_owned()), pid);
                CodeLocation::Made { module, pid, address }
            }
        };
        self.places.intern(place)
    }

    /// The place of all that was sampled of a program that has ended.
    pub(super) fn ended(&mut self, pid: u32, comm: &str) -> u32 {
        let module = self.module(Module::Ended(comm.to_owned()), pid);
        self.places.intern(CodeLocation::Somewhere { module })
    }

    /// A place in the kernel.
    pub(super) fn kernel(&mut self, address: u64) -> u32 {
        self.places.intern(CodeLocation::Kernel(address))
    }

    /// A stack, the innermost first.
    pub(super) fn stack(&mut self, places: Vec<u32>) -> StackIndex {
        let places = places.into_boxed_slice();
        if self.stacks.all.len() >= MOST_STACKS && !self.stacks.ids.contains_key(&places) {
            return StackIndex(self.stacks.intern(Box::default()));
        }
        StackIndex(self.stacks.intern(places))
    }

    /// Its places, the innermost first.
    pub(super) fn places_of(&self, stack: StackIndex) -> &[u32] {
        self.stacks.all.get(stack.0 as usize).map_or(&[], |places| places)
    }

    /// The place of an index.
    pub(super) fn place(&self, place: u32) -> Option<CodeLocation> {
        self.places.all.get(place as usize).copied()
    }

    /// A module, and a process that has it mapped.
    pub(super) fn module_of(&self, module: u32) -> Option<(&Module, u32)> {
        Some((self.modules.all.get(module as usize)?, *self.seen_in.get(module as usize)?))
    }

    fn module(&mut self, module: Module, pid: u32) -> u32 {
        let id = self.modules.intern(module);
        if self.seen_in.len() <= id as usize {
            self.seen_in.push(pid);
        }
        id
    }
}

impl Module {
    /// In a word, as it stands for code without a name.
    pub(super) fn short(&self) -> &str {
        match self {
            Self::File { path, .. } => path.rsplit('/').next().unwrap_or(path),
            Self::Kernel(name) => name.trim_matches(['[', ']']),
            Self::Made(comm) | Self::Ended(comm) => comm,
        }
    }
}
