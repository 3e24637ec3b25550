//! The principal type is [`Unladen`].

use std::io::{self, Write};

use crate::frame::FrameKind;
use crate::profile::{CallCount, Cluster, Profile};
use crate::writers::Writer;

/// For Unladen itself: nothing is lost.
///
/// One JSON document: `schema`, `about`; `frames` in the order of their ids, from 0; `stacks` as `[below, frame]`, from
/// 1, since 0 is the stack without frames; `clusters`, each with `weights` as stack, weight, stack, weight … and
/// `calls` as caller (null: nobody), callee, calls, caller …
pub(crate) struct Unladen;

/// Readers refuse another.
pub(crate) const SCHEMA: &str = "unladen.stacks/1";

#[derive(serde::Serialize)]
struct FrameOut<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    line: u32,
    #[serde(skip_serializing_if = "is_function")]
    kind: FrameKind,
}

impl Writer for Unladen {
    fn name(&self) -> &'static str {
        "unladen"
    }

    fn about(&self) -> &'static str {
        "Unladen's own format: nothing is lost"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".profile.json"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        write!(out, "{{\"schema\":\"{SCHEMA}\",\n\"about\":")?;
        serde_json::to_writer(&mut out, &profile.about)?;
        out.write_all(b",\n\"frames\":")?;
        list(&mut out, profile.frames.iter(), |out, (_, frame)| {
            let frame = FrameOut { name: frame.name, file: frame.file, line: frame.line, kind: frame.kind };
            Ok(serde_json::to_writer(out, &frame)?)
        })?;
        out.write_all(b",\n\"stacks\":")?;
        let stacks = &profile.stacks;
        let pairs = stacks.iter().filter_map(|stack| Some((stacks.below(stack)?, stacks.frame(stack)?)));
        list(&mut out, pairs, |out, (below, frame)| write!(out, "[{},{}]", below.index(), frame.index()))?;
        out.write_all(b",\n\"clusters\":")?;
        list(&mut out, profile.clusters.iter(), |out, cluster| write_cluster(out, cluster))?;
        out.write_all(b"}\n")?;
        out.flush()
    }
}

fn write_cluster(out: &mut dyn Write, cluster: &Cluster) -> io::Result<()> {
    out.write_all(b"{\"weights\":")?;
    flat(out, &cluster.weights, |out, (stack, weight)| write!(out, "{},{weight}", stack.index()))?;
    if !cluster.calls.is_empty() {
        out.write_all(b",\"calls\":")?;
        flat(out, &cluster.calls, |out, CallCount { caller, callee, calls }| {
            match caller {
                Some(caller) => write!(out, "{}", caller.index())?,
                None => out.write_all(b"null")?,
            }
            write!(out, ",{},{calls}", callee.index())
        })?;
    }
    out.write_all(b"}")
}

/// One element per line.
fn list<T>(
    out: &mut dyn Write,
    items: impl Iterator<Item = T>,
    mut item: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (position, one) in items.enumerate() {
        out.write_all(if position > 0 { b",\n" } else { b"\n" })?;
        item(out, one)?;
    }
    out.write_all(b"]")
}

/// All in one line.
fn flat<T>(
    out: &mut dyn Write,
    items: &[T],
    mut item: impl FnMut(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (position, one) in items.iter().enumerate() {
        if position > 0 {
            out.write_all(b",")?;
        }
        item(out, one)?;
    }
    out.write_all(b"]")
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

fn is_function(kind: &FrameKind) -> bool {
    *kind == FrameKind::Function
}

#[cfg(test)]
mod tests;
