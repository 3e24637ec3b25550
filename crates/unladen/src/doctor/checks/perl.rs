//! The principal type is [`Perl`]: whether Perl has its profiler.

use std::process::{Command, Stdio};

use unladen_profiler::Kind;

use super::processes;
use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::as_root;

pub(crate) struct Perl;

const VERBS: &[Verb] = &[Verb::Profile];

impl Check for Perl {
    fn name(&self) -> &'static str {
        "perl"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        vec![row(profiler(), !processes::of_kind(Kind::Perl).is_empty())]
    }
}

/// Version of the system Perl's profiler; empty if it has none, `None` without Perl. A process's own Perl is not
/// started here: it belongs to that process's owner.
fn profiler() -> Option<String> {
    let asking = ["-e", "eval { require Devel::NYTProf::Core; print $Devel::NYTProf::Core::VERSION }"];
    let output =
        Command::new("perl").args(asking).env_remove("PERL5OPT").env_remove("NYTPROF").stdin(Stdio::null()).output();
    Some(String::from_utf8_lossy(&output.ok()?.stdout).into_owned())
}

fn row(version: Option<String>, is_running: bool) -> Row {
    match version.as_deref() {
        Some(version) if !version.is_empty() => Row::ok(VERBS, format!("Perl has Devel::NYTProf {version}")),
        _ if !is_running => Row::ok(VERBS, "no Perl runs here"),
        _ => Row::limited(VERBS, "perl has no Devel::NYTProf")
            .so("`profile` shows functions of Perl by it, and without it those of the interpreter alone")
            .fix(as_root("apt-get install libdevel-nytprof-perl")),
    }
}

#[cfg(test)]
mod tests;
