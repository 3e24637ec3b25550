//! The principal type is [`Collapsed`].

use std::io::{self, Write};

use crate::profile::Profile;
use crate::text::escape;
use crate::writers::Writer;

/// For flamegraph.pl, inferno, speedscope: lines such as `a;b;c 12`. Requests, files, lines, calls and kinds other than
/// the kernel's are lost.
pub(crate) struct Collapsed;

impl Writer for Collapsed {
    fn name(&self) -> &'static str {
        "collapsed"
    }

    fn about(&self) -> &'static str {
        "flamegraph.pl, inferno, speedscope: `a;b;c 12` in each line"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".collapsed", ".folded", ".txt"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        let mut names = Vec::with_capacity(profile.frames.len());
        for (_, frame) in profile.frames.iter() {
            let mut name = String::with_capacity(frame.name.len());
            escape(frame, &mut name);
            names.push(name);
        }
        let mut frames = Vec::new();
        for (stack, weight) in profile.stacks.iter().zip(profile.self_weights()) {
            if weight == 0 {
                continue;
            }
            frames.clear();
            frames.extend(profile.stacks.inwards_out(stack));
            for (position, frame) in frames.iter().rev().enumerate() {
                if position > 0 {
                    out.write_all(b";")?;
                }
                out.write_all(names[frame.index()].as_bytes())?;
            }
            writeln!(out, " {}", profile.about.decimal(weight))?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests;
