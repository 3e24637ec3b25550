//! The function is [`write`]: the tables that all threads share.

use std::collections::HashMap;
use std::io::{self, Write};

use super::column::{column, comma};
use crate::frame::FrameKind;
use crate::profile::Profile;
use crate::writers::json::text;
use crate::writers::strings::Strings;

const NULL: &str = "null";

/// Frame kinds with the profiler's colours. The first grey one is for frames without a kind.
pub(super) const CATEGORIES: [(FrameKind, &str); 6] = [
    (FrameKind::Group, "grey"),
    (FrameKind::Function, "yellow"),
    (FrameKind::Include, "green"),
    (FrameKind::ClassLookup, "purple"),
    (FrameKind::Native, "blue"),
    (FrameKind::Kernel, "orange"),
];

/// Writes the tables. Request names are among the strings: returns the index of the first.
pub(super) fn write(profile: &Profile, requests: usize, out: &mut dyn Write) -> io::Result<usize> {
    let mut strings = Strings::default();
    let (mut sources, mut libraries) = (Indices::default(), Indices::default());
    let mut names = Vec::new();
    let (mut source_of, mut library_of) = (Vec::new(), Vec::new());
    for (_, frame) in profile.frames.iter() {
        names.push(strings.index(frame.name));
        let is_native = matches!(frame.kind, FrameKind::Native | FrameKind::Kernel);
        let index = |indices: &mut Indices, strings: &mut Strings| indices.index(strings.index(frame.file));
        let has_file = !frame.file.is_empty();
        library_of.push(if has_file && is_native { index(&mut libraries, &mut strings) as i64 } else { -1 });
        source_of.push((has_file && !is_native).then(|| index(&mut sources, &mut strings)));
    }
    let first_request = strings.in_order.len();

    let count = profile.frames.len();
    let frames = || 0..count;
    let category = |(_, frame): (_, crate::frame::Frame<'_>)| {
        CATEGORIES.iter().position(|(kind, _)| *kind == frame.kind).unwrap_or(0)
    };
    let line = |(_, frame): (_, crate::frame::Frame<'_>)| or_null((frame.line > 0).then_some(frame.line));

    out.write_all(b"\"stackTable\":{")?;
    let stacks = || profile.stacks.iter().skip(1);
    column(out, "frame", stacks().filter_map(|stack| profile.stacks.frame(stack)).map(|frame| frame.index()))?;
    // The root is a stack only here.
    let below = |stack| profile.stacks.below(stack).and_then(|below| below.index().checked_sub(1));
    column(out, "prefix", stacks().map(|stack| or_null(below(stack))))?;
    write!(out, "\"length\":{}}},\n\"frameTable\":{{", profile.stacks.len() - 1)?;
    column(out, "func", frames())?;
    column(out, "address", frames().map(|_| -1))?;
    column(out, "inlineDepth", frames().map(|_| 0))?;
    column(out, "category", profile.frames.iter().map(category))?;
    column(out, "subcategory", frames().map(|_| 0))?;
    for name in ["nativeSymbol", "innerWindowID", "line", "column"] {
        column(out, name, frames().map(|_| NULL))?;
    }
    write!(out, "\"length\":{count}}},\n\"funcTable\":{{")?;
    column(out, "name", names)?;
    column(out, "isJS", frames().map(|_| false))?;
    column(out, "relevantForJS", frames().map(|_| false))?;
    column(out, "resource", library_of)?;
    column(out, "source", source_of.into_iter().map(or_null))?;
    column(out, "lineNumber", profile.frames.iter().map(line))?;
    column(out, "columnNumber", frames().map(|_| NULL))?;
    write!(out, "\"length\":{count}}},\n\"resourceTable\":{{")?;
    column(out, "lib", libraries.in_order.iter().map(|_| NULL))?;
    column(out, "host", libraries.in_order.iter().map(|_| NULL))?;
    // Libraries.
    column(out, "type", libraries.in_order.iter().map(|_| 1))?;
    column(out, "name", &libraries.in_order)?;
    write!(out, "\"length\":{}}},\n\"nativeSymbols\":{{", libraries.in_order.len())?;
    for name in ["libIndex", "address", "name", "functionSize"] {
        column(out, name, [0_u32; 0])?;
    }
    out.write_all(b"\"length\":0},\n\"sources\":{")?;
    column(out, "uuid", sources.in_order.iter().map(|_| NULL))?;
    column(out, "filename", &sources.in_order)?;
    write!(out, "\"length\":{}}},\n\"stringArray\":[", sources.in_order.len())?;
    for (index, string) in strings.in_order.iter().enumerate() {
        write!(out, "{}{}", comma(index), text(string))?;
    }
    for request in 1..=requests {
        write!(out, "{}\"request {request}\"", comma(first_request + request - 1))?;
    }
    out.write_all(b"]")?;
    Ok(first_request)
}

fn or_null<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| NULL.to_owned(), |value| value.to_string())
}

#[derive(Default)]
struct Indices {
    in_order: Vec<usize>,
    indices: HashMap<usize, usize>,
}

impl Indices {
    fn index(&mut self, string: usize) -> usize {
        let next = self.in_order.len();
        let index = *self.indices.entry(string).or_insert(next);
        if index == next {
            self.in_order.push(string);
        }
        index
    }
}
