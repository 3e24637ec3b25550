//! The principal type is [`Tree`]: the modules of a crate, from its root on.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, ItemMod, ItemUse, UseTree, Visibility};

use super::module::{Import, Module, Path};
use super::paths::{Paths, name_of};
use super::production::{is_for_tests, of_item};
use super::sources::Sources;

/// The index of a crate's root among its modules.
pub(super) const ROOT: usize = 0;

/// All modules of a crate that are production code.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) modules: Vec<Module>,
    /// Files of tests.
    for_tests: Vec<String>,
}

/// Where the files of a module's modules are.
#[derive(Clone)]
struct Place {
    /// The folder of the file that is being read, which `#[path]` goes by; with `/` at its end, if it is not empty.
    folder: String,
    /// The folder of the modules that it declares.
    below: String,
}

impl Tree {
    pub(super) fn of(sources: &Sources, root: &str) -> Result<Self, String> {
        let mut tree = Self { modules: Vec::new(), for_tests: Vec::new() };
        let folder = folder_of(root).to_owned();
        tree.read(sources, root, None, Place { below: folder.clone(), folder })?;
        Ok(tree)
    }

    /// All files that a `mod` leads to, those of tests included.
    pub(super) fn into_files(self) -> impl Iterator<Item = String> {
        self.modules.into_iter().map(|module| module.file).chain(self.for_tests)
    }

    fn read(&mut self, sources: &Sources, file: &str, parent: Option<usize>, place: Place) -> Result<usize, String> {
        let parsed = parsed(sources, file)?;
        let index = self.add(Module { file: file.to_owned(), parent, ..Module::default() });
        self.fill(sources, index, parsed.items, &place)?;
        Ok(index)
    }

    fn add(&mut self, module: Module) -> usize {
        self.modules.push(module);
        self.modules.len() - 1
    }

    fn fill(&mut self, sources: &Sources, index: usize, items: Vec<Item>, place: &Place) -> Result<(), String> {
        for item in items {
            let for_tests = is_for_tests(of_item(&item));
            match item {
                Item::Mod(module) if for_tests => {
                    if module.content.is_none() {
                        self.note_tests(sources, &module, place)?;
                    }
                }
                _ if for_tests => {}
                Item::Mod(module) => self.declare(sources, index, module, place)?,
                Item::Use(import) => self.import(index, &import),
                item => self.look_at(index, &item),
            }
        }
        Ok(())
    }

    fn declare(&mut self, sources: &Sources, index: usize, module: ItemMod, place: &Place) -> Result<(), String> {
        let name = module.ident.to_string();
        let child = match module.content {
            Some((_, items)) => {
                let file = self.modules[index].file.clone();
                let child = self.add(Module { file, parent: Some(index), ..Module::default() });
                let below = format!("{}{name}/", place.below);
                self.fill(sources, child, items, &Place { below: below.clone(), folder: below })?;
                child
            }
            None => {
                let (file, place) = located(sources, &module, place)
                    .ok_or_else(|| format!("{}: `mod {name};` has no file", self.modules[index].file))?;
                self.read(sources, &file, Some(index), place)?
            }
        };
        self.modules[index].children.push((name, child));
        Ok(())
    }

    /// A file of tests, and all that it declares, must not count as lost.
    fn note_tests(&mut self, sources: &Sources, module: &ItemMod, place: &Place) -> Result<(), String> {
        let Some((file, place)) = located(sources, module, place) else { return Ok(()) };
        for item in parsed(sources, &file)?.items {
            if let Item::Mod(module) = item {
                self.note_tests(sources, &module, &place)?;
            }
        }
        self.for_tests.push(file);
        Ok(())
    }

    fn import(&mut self, index: usize, import: &ItemUse) {
        let path = Path { external: import.leading_colon.is_some(), ..Path::default() };
        let handed_out = !matches!(import.vis, Visibility::Inherited);
        imports(&import.tree, path, handed_out, &mut self.modules[index].imports);
    }

    fn look_at(&mut self, index: usize, item: &Item) {
        let module = &mut self.modules[index];
        match item {
            Item::Macro(call) if call.ident.is_none() => module.items.extend(defined(call.mac.tokens.clone())),
            Item::Macro(_) => module.macros.extend(name_of(item)),
            item => module.items.extend(name_of(item)),
        }
        let Paths { found, imports, .. } = Paths::of(item);
        self.modules[index].paths.extend(found);
        // What a function imports, it uses.
        imports.iter().for_each(|import| self.import(index, import));
    }
}

fn parsed(sources: &Sources, file: &str) -> Result<syn::File, String> {
    syn::parse_file(sources.text(file).unwrap_or_default()).map_err(|error| format!("{file}: {error}"))
}

/// The file of `mod name;`, and where its own modules are.
fn located(sources: &Sources, module: &ItemMod, place: &Place) -> Option<(String, Place)> {
    let name = module.ident.to_string();
    let told = module.attrs.iter().find_map(|attribute| {
        let pair = attribute.meta.require_name_value().ok().filter(|pair| pair.path.is_ident("path"))?;
        match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(told), .. }) => Some(told.value()),
            _ => None,
        }
    });
    let file = match told {
        // Its modules are beside it, as of a `mod.rs`.
        Some(told) => {
            let file = format!("{}{told}", place.folder);
            let folder = folder_of(&file).to_owned();
            return sources.text(&file).is_some().then(|| (file, Place { below: folder.clone(), folder }));
        }
        None => {
            let files = [format!("{}{name}.rs", place.below), format!("{}{name}/mod.rs", place.below)];
            files.into_iter().find(|file| sources.text(file).is_some())?
        }
    };
    let folder = folder_of(&file).to_owned();
    Some((file, Place { folder, below: format!("{}{name}/", place.below) }))
}

/// With the `/` at its end.
fn folder_of(file: &str) -> &str {
    file.rfind('/').map_or("", |end| &file[..=end])
}

/// What a tree of `use` imports: one by one.
fn imports(tree: &UseTree, mut path: Path, handed_out: bool, all: &mut Vec<Import>) {
    match tree {
        UseTree::Path(tree_path) => {
            path.segments.push(tree_path.ident.to_string());
            imports(&tree_path.tree, path, handed_out, all);
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, path.clone(), handed_out, all)),
        UseTree::Glob(_) => all.push(Import { path, name: None, handed_out, module_only: false }),
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            let module_only = name == "self" && !path.segments.is_empty();
            if !module_only {
                path.segments.push(name);
            }
            let name = path.segments.last().cloned();
            all.push(Import { path, name, handed_out, module_only });
        }
        UseTree::Rename(renamed) => {
            let module_only = renamed.ident == "self" && !path.segments.is_empty();
            if !module_only {
                path.segments.push(renamed.ident.to_string());
            }
            // `use Trait as _` imports no name, and is a use all the same.
            all.push(Import { path, name: Some(renamed.rename.to_string()), handed_out, module_only });
        }
    }
}

/// What a macro's tokens define, as `thread_local! { static NAME: … }` does.
fn defined(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let pairs = tokens.windows(2).filter_map(|two| match two {
        [TokenTree::Ident(word), TokenTree::Ident(name)]
            if ["static", "const", "struct", "enum", "fn", "type", "trait"].iter().any(|item| word == item) =>
        {
            Some(name.to_string())
        }
        _ => None,
    });
    pairs.collect()
}
