//! [`promtool`]: Prometheus' own check of rules, of their tests and of metrics.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::go_program;
use crate::machine::tell_skipped;

/// What it is made of.
const SOURCES: [(&str, &str); 2] =
    [("go.mod", include_str!("../tools/promtool/go.mod")), ("go.sum", include_str!("../tools/promtool/go.sum"))];
/// Changes with what it is made of: it is built once for all, which takes some two minutes.
const VERSION: &str = "promtool-3.16.0-1";
/// Without what finds out whom to scrape: that would be most of it.
const ARGUMENTS: [&str; 4] =
    ["-tags=remove_all_sd", "-ldflags=-s -w", "-buildvcs=false", "github.com/prometheus/prometheus/cmd/promtool"];

/// The program. If it cannot be had here, that is told, in a line that is counted. `test`: who asks.
///
/// # Panics
/// If it cannot be had, and nothing may be left out.
pub fn promtool(test: &str) -> Option<PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || go_program::build_package("promtool", VERSION, &SOURCES, &ARGUMENTS);
    let program = PROGRAM.get_or_init(build).clone();
    if program.is_none() {
        tell_skipped(test, "it takes promtool: Go 1.26.7 or newer, and its modules");
    }
    program
}
