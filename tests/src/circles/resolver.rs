//! The principal type is [`Resolver`]: finds the file that defines what a path names.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::module::{Import, Path};
use super::tree::{ROOT, Tree};

/// Follows paths through the modules of a crate.
pub(super) struct Resolver<'a> {
    tree: &'a Tree,
    /// Imports that are being followed, by module and place: one that leads to itself names something else.
    followed: RefCell<Vec<(usize, usize)>>,
}

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Module(usize),
    /// Something that this module defines.
    DefinedIn(usize),
    /// Something of another crate.
    External,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self { tree, followed: RefCell::default() }
    }

    /// Calls `each` with all uses of names between files: who uses which name, and who defines it.
    pub(super) fn each_use(&self, mut each: impl FnMut(&str, &str, &str)) {
        for (index, module) in self.tree.modules.iter().enumerate() {
            let imported = module.imports.iter().enumerate().filter(|(_, import)| !import.handed_out);
            let imported = imported.map(|(place, import)| (&import.path, self.imported(index, place, import)));
            let named = module.paths.iter().map(|path| (path, self.named(index, path)));
            for (path, found) in imported.chain(named) {
                for definer in found.into_iter().filter_map(Named::definer) {
                    let file = &self.tree.modules[definer].file;
                    if *file != module.file {
                        each(&module.file, self.name_of(index, path), file);
                    }
                }
            }
        }
    }

    /// Of `crate::a::Error::Late`, `Error`: the first name that is no module's.
    fn name_of<'p>(&self, from: usize, path: &'p Path) -> &'p str {
        let begins =
            (1..path.segments.len()).map(|length| Path { segments: path.segments[..length].to_vec(), ..*path });
        let is_module = |begin: &Path| self.named(from, begin).iter().any(|named| named.module().is_some());
        &path.segments[begins.take_while(is_module).count()]
    }

    fn named(&self, from: usize, path: &Path) -> BTreeSet<Named> {
        if path.external {
            return BTreeSet::from([Named::External]);
        }
        let Some((first, rest)) = path.segments.split_first() else { return BTreeSet::new() };
        if path.of_macro && rest.is_empty() {
            return self.macro_named(from, first);
        }
        let mut found = match first.as_str() {
            "crate" => BTreeSet::from([Named::Module(ROOT)]),
            "self" => BTreeSet::from([Named::Module(from)]),
            "super" => BTreeSet::from([Named::Module(self.parent(from))]),
            name => self.in_module(from, name),
        };
        for name in rest {
            let modules: Vec<usize> = found.iter().filter_map(|named| named.module()).collect();
            if modules.is_empty() {
                // What follows a type is of that type.
                break;
            }
            found = BTreeSet::new();
            for module in modules {
                match name.as_str() {
                    "super" => drop(found.insert(Named::Module(self.parent(module)))),
                    "self" => drop(found.insert(Named::Module(module))),
                    name => {
                        let inside = self.in_module(module, name);
                        // A macro defines it there.
                        let made = inside.is_empty().then_some(Named::DefinedIn(module));
                        found.extend(inside.into_iter().chain(made));
                    }
                }
            }
        }
        found
    }

    /// A macro is known in its module and, without being imported, in those below it; elsewhere by its import.
    fn macro_named(&self, from: usize, name: &str) -> BTreeSet<Named> {
        let around = std::iter::successors(Some(from), |index| self.tree.modules[*index].parent);
        if let Some(definer) = around.into_iter().find(|index| self.tree.modules[*index].macros.contains(name)) {
            return BTreeSet::from([Named::DefinedIn(definer)]);
        }
        let mut found = self.in_module(from, name);
        found.retain(|named| named.definer().is_some_and(|definer| !self.tree.modules[definer].macros.is_empty()));
        found
    }

    /// What a module knows under a name.
    fn in_module(&self, index: usize, name: &str) -> BTreeSet<Named> {
        let module = &self.tree.modules[index];
        let mut found = BTreeSet::new();
        found.extend(module.children.iter().filter(|(child, _)| child == name).map(|(_, child)| Named::Module(*child)));
        if module.items.contains(name) || module.macros.contains(name) {
            found.insert(Named::DefinedIn(index));
        }
        let imports = || module.imports.iter().enumerate();
        for (place, import) in imports().filter(|(_, import)| import.name.as_deref() == Some(name)) {
            found.extend(self.imported(index, place, import));
        }
        if found.is_empty() {
            for (place, import) in imports().filter(|(_, import)| import.name.is_none()) {
                let from = self.imported(index, place, import);
                // Two modules may import all of each other.
                self.followed.borrow_mut().push((index, place));
                found
                    .extend(from.into_iter().filter_map(Named::module).flat_map(|module| self.in_module(module, name)));
                self.followed.borrow_mut().pop();
            }
        }
        found
    }

    /// What an import leads to; of `*`, what has the names.
    fn imported(&self, index: usize, place: usize, import: &Import) -> BTreeSet<Named> {
        if self.followed.borrow().contains(&(index, place)) {
            return BTreeSet::new();
        }
        self.followed.borrow_mut().push((index, place));
        let mut found = self.named(index, &import.path);
        self.followed.borrow_mut().pop();
        if found.is_empty() {
            found.insert(Named::External);
        }
        if import.module_only && found.iter().any(|named| named.module().is_some()) {
            found.retain(|named| named.module().is_some());
        }
        found
    }

    fn parent(&self, index: usize) -> usize {
        self.tree.modules[index].parent.unwrap_or(ROOT)
    }
}

impl Named {
    fn module(self) -> Option<usize> {
        if let Self::Module(index) = self { Some(index) } else { None }
    }

    fn definer(self) -> Option<usize> {
        if let Self::DefinedIn(index) = self { Some(index) } else { None }
    }
}
