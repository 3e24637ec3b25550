//! The principal type is [`Module`]: what a module defines, imports and uses.

use std::collections::HashSet;

/// A module of a crate; known by its index in the tree.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The file that it stands in.
    pub(super) file: String,
    pub(super) parent: Option<usize>,
    /// Modules in it, by name. With features, two may have one name.
    pub(super) children: Vec<(String, usize)>,
    /// Names of items in it.
    pub(super) items: HashSet<String>,
    /// Names of macros in it, which may be those of functions too.
    pub(super) macros: HashSet<String>,
    pub(super) imports: Vec<Import>,
    /// Paths that its code uses.
    pub(super) paths: Vec<Path>,
}

/// One name, or a whole module, of a `use` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) path: Path,
    /// What it is called here; none of `*`.
    pub(super) name: Option<String>,
    /// `pub use`: to hand it out is not to use it.
    pub(super) handed_out: bool,
    /// `use a::{self}`: the module alone.
    pub(super) module_only: bool,
}

/// `a::b::c`, in code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path {
    /// It begins with `::`, and so with the name of a crate.
    pub(super) external: bool,
    pub(super) segments: Vec<String>,
    /// It is that of a macro that is called.
    pub(super) of_macro: bool,
}
