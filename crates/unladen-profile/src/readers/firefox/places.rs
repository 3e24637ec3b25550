//! The principal type is [`Places`]: the tables that a thread's stacks refer to, its own or shared ones.

use super::document::{
    Category, Document, FrameTable, FuncTable, Lib, ResourceTable, SourceTable, StackTable, Tables, Thread,
};
use crate::frame::{Frame, FrameId, FrameKind};
use crate::profile::Profile;
use crate::reader::MAX_DEPTH;
use crate::readers::json::Number;
use crate::stack::StackId;

const LIBRARY: u64 = 1;

pub(super) struct Places<'a> {
    stacks: &'a StackTable,
    frames: &'a FrameTable,
    functions: &'a FuncTable,
    resources: Option<&'a ResourceTable>,
    sources: Option<&'a SourceTable>,
    strings: &'a [String],
    categories: &'a [Category],
    libs: &'a [Lib],
}

impl<'a> Places<'a> {
    /// For a thread, of which at most strings and sources are shared; without one, the shared tables.
    pub(super) fn new(document: &'a Document, thread: Option<&'a Thread>) -> Result<Self, String> {
        let shared = &document.shared;
        let (stacks, frames, functions, resources, strings) = match thread {
            Some(Thread { stack_table, frame_table, func_table, resource_table, string_array, .. }) => {
                (stack_table, frame_table, func_table, resource_table, string_array)
            }
            None => {
                let Tables { stack_table, frame_table, func_table, resource_table, string_array, .. } = shared;
                (stack_table, frame_table, func_table, resource_table, string_array)
            }
        };
        Ok(Self {
            stacks: stacks.as_ref().ok_or("there is no stackTable")?,
            frames: frames.as_ref().ok_or("there is no frameTable")?,
            functions: functions.as_ref().ok_or("there is no funcTable")?,
            resources: resources.as_ref(),
            sources: shared.sources.as_ref(),
            strings: strings.as_ref().or(shared.string_array.as_ref()).ok_or("there is no stringArray")?,
            categories: &document.meta.categories,
            libs: &document.libs,
        })
    }

    pub(super) fn stacks(&self, profile: &mut Profile) -> Result<Vec<StackId>, String> {
        let count = self.frames.func.len();
        let frames =
            (0..count).map(|index| self.frame(index, profile).map_err(|what| format!("frameTable, {index}: {what}")));
        let frames = frames.collect::<Result<Vec<_>, _>>()?;

        let mut stacks: Vec<StackId> = Vec::with_capacity(self.stacks.frame.len());
        let mut depths: Vec<usize> = Vec::with_capacity(self.stacks.frame.len());
        for (index, frame) in self.stacks.frame.iter().enumerate() {
            let wrong = |what: String| format!("stackTable, {index}: {what}");
            let frame = frame.index().and_then(|frame| frames.get(frame));
            let frame = frame.ok_or_else(|| wrong(format!("no frame of {count}")))?;
            let (below, depth) = match self.below(index).map_err(wrong)? {
                Some(below) => (stacks[below], depths[below] + 1),
                None => (profile.stacks.root(), 1),
            };
            if depth > MAX_DEPTH {
                return Err(wrong(format!("a stack of more than {MAX_DEPTH} frames")));
            }
            stacks.push(profile.stacks.push(below, *frame));
            depths.push(depth);
        }
        Ok(stacks)
    }

    /// The stack below, which precedes this one.
    fn below(&self, index: usize) -> Result<Option<usize>, String> {
        if let Some(offset) = self.stacks.prefix_offset.get(index) {
            let offset = offset.index().filter(|offset| *offset <= index);
            return match offset.ok_or("the prefixOffset leads out of the table")? {
                0 => Ok(None),
                offset => Ok(Some(index - offset)),
            };
        }
        match self.stacks.prefix.get(index).ok_or("there is no prefix")? {
            None => Ok(None),
            Some(Number::Double(-1.0)) => Ok(None),
            Some(prefix) => {
                let below = prefix.index().filter(|below| *below < index);
                below.map(Some).ok_or_else(|| format!("the prefix {prefix} is no stack before this one"))
            }
        }
    }

    fn frame(&self, index: usize, profile: &mut Profile) -> Result<FrameId, String> {
        let function = self.frames.func[index].index().filter(|function| *function < self.functions.name.len());
        let function = function.ok_or_else(|| format!("no function of {}", self.functions.name.len()))?;
        let name = self.string(self.functions.name[function])?;

        let resource = self.functions.resource.get(function).and_then(|resource| resource.index());
        let resource = resource.zip(self.resources).and_then(|(resource, table)| {
            let is_library = table.kind.get(resource).and_then(|kind| kind.whole()) == Some(LIBRARY);
            table.name.get(resource).filter(|_| is_library)
        });
        let library = match resource {
            Some(name) => Some(self.string(*name)?),
            None => {
                let lib = self.frames.lib.get(index).and_then(|lib| lib.index()).and_then(|lib| self.libs.get(lib));
                lib.and_then(|lib| lib.name.as_deref())
            }
        };
        let source = self.functions.source.get(function).copied().flatten().and_then(Number::index);
        let source = source.zip(self.sources).and_then(|(source, table)| table.filename.get(source).copied());
        let source = source.or(self.functions.file_name.get(function).copied().flatten());
        let source = source.map(|source| self.string(source)).transpose()?;

        let category = self.frames.category.get(index).copied().flatten().and_then(Number::index);
        let category =
            category.and_then(|category| self.categories.get(category)).map(|category| category.name.as_str());
        let kind = kind(category.unwrap_or_default(), library.is_some());
        let is_native = matches!(kind, FrameKind::Native | FrameKind::Kernel);
        let file = if is_native { library.or(source) } else { source.or(library) };
        let line = self.functions.line_number.get(function).copied().flatten().and_then(Number::whole);
        let line = line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        Ok(profile.frames.intern(Frame { name, file: file.unwrap_or_default(), line, kind }))
    }

    fn string(&self, index: Number) -> Result<&'a str, String> {
        let string = index.index().and_then(|index| self.strings.get(index));
        string.map(String::as_str).ok_or_else(|| format!("string {index} of {}", self.strings.len()))
    }
}

/// Kind of a frame: our own files name categories like it, and others have one for the kernel too.
fn kind(category: &str, is_of_library: bool) -> FrameKind {
    const KINDS: [FrameKind; 5] =
        [FrameKind::Function, FrameKind::Include, FrameKind::ClassLookup, FrameKind::Native, FrameKind::Group];
    if category.eq_ignore_ascii_case(FrameKind::Kernel.as_str()) {
        return FrameKind::Kernel;
    }
    let named = KINDS.into_iter().find(|kind| kind.as_str() == category);
    named.unwrap_or(if is_of_library { FrameKind::Native } else { FrameKind::Function })
}
