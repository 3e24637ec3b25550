//! The principal type is [`Kernel`]: its version, and the system calls that not all have.

use std::path::Path;

use unladen_files::{Root, RootError};

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};

pub(crate) struct Kernel;

/// First kernel that lets programs trace with CAP_BPF and has the helpers of the tracer's programs;
/// docs/reference/trace.md.
const TRACES: (u32, u32) = (5, 8);

impl Check for Kernel {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::ALL
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        let mut rows = vec![version(&asked.line("proc/sys/kernel/osrelease").unwrap_or_default())];
        if let Err(error @ RootError::NoOpenat2 { .. }) = Root::open(Path::new("/")) {
            rows.push(Row::missing(&[Verb::Serve], error.to_string()));
        }
        rows
    }
}

fn version(release: &str) -> Row {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
        return Row::limited(Verb::TRACING, "the kernel does not tell its version").so("it may be none of Linux");
    };
    if (major, minor) < TRACES {
        return Row::missing(Verb::TRACING, format!("Linux {release}"))
            .so(format!("looking inside requests takes {}.{} or later", TRACES.0, TRACES.1))
            .advice("boot a newer kernel; figures by process are there all the same");
    }
    Row::ok(Verb::ALL, format!("Linux {release}"))
}

#[cfg(test)]
mod tests;
