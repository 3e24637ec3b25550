//! The principal type is [`Symbols`]: whether functions of the kernel and of JIT code have names.

use std::path::Path;

use unladen_profiler::{Application, Kind};

use super::processes;
use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::{AS_ROOT, is_root};

pub(crate) struct Symbols;

const VERBS: &[Verb] = &[Verb::Profile];

impl Check for Symbols {
    fn name(&self) -> &'static str {
        "symbols"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        let mut rows: Vec<Row> = asked.line("proc/kallsyms").map(|line| of_kernel(&line)).into_iter().collect();
        rows.extend(processes::of_kind(Kind::Other).iter().filter(|one| is_node(one)).filter_map(without_map));
        rows
    }
}

/// From the first line of /proc/kallsyms, whose addresses are zeros where hidden.
fn of_kernel(line: &str) -> Row {
    let address = line.split_whitespace().next().unwrap_or_default();
    if address.bytes().all(|digit| digit == b'0') {
        let row = Row::limited(VERBS, "the kernel hides the names of its functions");
        return if is_root() { row.fix("sysctl -w kernel.kptr_restrict=1") } else { row.fix(AS_ROOT) };
    }
    Row::ok(VERBS, "functions of the kernel have their names")
}

fn is_node(one: &Application) -> bool {
    one.exe.file_name().is_some_and(|name| name == "node")
}

/// A program that generates code and does not name its functions.
fn without_map(one: &Application) -> Option<Row> {
    let map = format!("/proc/{0}/root/tmp/perf-{0}.map", one.pid);
    let row = Row::limited(VERBS, format!("node (process {}) writes no /tmp/perf-PID.map", one.pid));
    (!Path::new(&map).exists())
        .then(|| row.so("its functions have no names").advice("start it with node --perf-basic-prof"))
}

#[cfg(test)]
mod tests;
