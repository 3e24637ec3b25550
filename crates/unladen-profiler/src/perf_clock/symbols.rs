//! Names of places. The principal type is [`Symbols`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use blazesym::MaybeDefault;
use blazesym::symbolize::source::{Elf, Kernel, Source};
use blazesym::symbolize::{Input, Symbolized, Symbolizer};
use unladen_profile::{Frame, FrameId, FrameKind, Profile};

use super::jit::{self, PerfMap};
use super::places::{CodeLocation, Module, Places};

/// Symbols of the kernel and its modules. Without privilege, all addresses in it are 0.
const KERNEL_SYMBOLS: &str = "/proc/kallsyms";

/// By the index of a place.
#[derive(Debug, Default)]
pub(super) struct Symbols(HashMap<u32, Named>);

#[derive(Debug, Clone)]
pub(super) struct Named {
    /// The innermost first: more than one where functions were compiled into others.
    pub(super) frames: Vec<FrameId>,
    pub(super) is_named: bool,
}

impl Symbols {
    /// Looks up all these places; what cannot be found is named by its module, in brackets.
    pub(super) fn look_up(of: &BTreeSet<u32>, places: &Places, profile: &mut Profile) -> Self {
        let mut symbols = Self::default();
        let symbolizer = Symbolizer::builder().build();
        let mut kernel = Vec::new();
        let mut files: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
        let mut maps: HashMap<u32, Option<PerfMap>> = HashMap::new();
        for index in of {
            match places.place(*index) {
                Some(CodeLocation::Kernel(address)) => kernel.push((*index, address)),
                Some(CodeLocation::File { module, offset }) => files.entry(module).or_default().push((*index, offset)),
                Some(CodeLocation::Made { module, pid, address }) => {
                    let map = maps.entry(pid).or_insert_with(|| PerfMap::of(pid));
                    match map.as_ref().and_then(|map| map.name(address)) {
                        Some(name) => symbols.put(*index, [profile.frames.intern(jit::frame(name))], true),
                        None => symbols.put_unnamed(*index, module, places, profile),
                    }
                }
                Some(CodeLocation::Somewhere { module }) => symbols.put_unnamed(*index, module, places, profile),
                None => {}
            }
        }
        symbols.look_up_kernel(&symbolizer, &kernel, profile);
        for (module, wanted) in files {
            symbols.look_up_file(&symbolizer, module, &wanted, places, profile);
        }
        symbols
    }

    pub(super) fn get(&self, place: u32) -> Option<&Named> {
        self.0.get(&place)
    }

    fn look_up_kernel(&mut self, symbolizer: &Symbolizer, wanted: &[(u32, u64)], profile: &mut Profile) {
        let source = Source::Kernel(Kernel {
            kallsyms: MaybeDefault::Some(PathBuf::from(KERNEL_SYMBOLS)),
            // The rest are source lines, for a gigabyte of debugging information.
            vmlinux: MaybeDefault::None,
            debug_syms: false,
            ..Kernel::default()
        });
        let addresses: Vec<u64> = wanted.iter().map(|(_, address)| *address).collect();
        let found = symbolizer.symbolize(&source, Input::AbsAddr(&addresses)).unwrap_or_default();
        for (position, (index, _)) in wanted.iter().enumerate() {
            let symbol = found.get(position).and_then(Symbolized::as_sym);
            let name = symbol.map_or("[kernel]", |symbol| &symbol.name);
            let frame = profile.frames.intern(Frame { name, file: "", line: 0, kind: FrameKind::Kernel });
            self.put(*index, [frame], symbol.is_some());
        }
    }

    fn look_up_file(
        &mut self,
        symbolizer: &Symbolizer,
        module: u32,
        wanted: &[(u32, u64)],
        places: &Places,
        profile: &mut Profile,
    ) {
        let Some((Module::File { path, inode }, pid)) = places.module_of(module) else { return };
        let offsets: Vec<u64> = wanted.iter().map(|(_, offset)| *offset).collect();
        let found = file_of(path, *inode, pid).and_then(|file| {
            // Damaged or mismatched debugging information is done without.
            [true, false].into_iter().find_map(|debug_syms| {
                let mut elf = Elf::new(&file);
                elf.debug_syms = debug_syms;
                symbolizer.symbolize(&Source::Elf(elf), Input::FileOffset(&offsets)).ok()
            })
        });
        let found = found.unwrap_or_default();
        for (position, (index, _)) in wanted.iter().enumerate() {
            let Some(symbol) = found.get(position).and_then(Symbolized::as_sym) else {
                self.put_unnamed(*index, module, places, profile);
                continue;
            };
            let inlined = symbol.inlined.iter().rev().map(|inlined| &inlined.name);
            let frames: Vec<FrameId> = inlined
                .chain([&symbol.name])
                .map(|name| profile.frames.intern(Frame { name, file: path, line: 0, kind: FrameKind::Native }))
                .collect();
            self.put(*index, frames, true);
        }
    }

    fn put(&mut self, place: u32, frames: impl Into<Vec<FrameId>>, is_named: bool) {
        self.0.insert(place, Named { frames: frames.into(), is_named });
    }

    fn put_unnamed(&mut self, place: u32, module: u32, places: &Places, profile: &mut Profile) {
        let Some((module, _)) = places.module_of(module) else { return };
        let file = if let Module::File { path, .. } = module { path } else { "" };
        let name = format!("[{}]", module.short());
        let frame = profile.frames.intern(Frame { name: &name, file, line: 0, kind: FrameKind::Native });
        // The kernel's few functions there have exact names.
        self.put(place, [frame], matches!(module, Module::Kernel(_)));
    }
}

/// Path of a file mapped by a process: directly or, in a container, below its root; `None` if it has been replaced.
fn file_of(path: &str, inode: u64, pid: u32) -> Option<PathBuf> {
    [PathBuf::from(path), PathBuf::from(format!("/proc/{pid}/root{path}"))]
        .into_iter()
        .find(|path| std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.ino() == inode))
}
