//! Unladen weighs what each request of a web application carries. This file is a table of contents; each command is a
//! file in `cmd/`.
#![forbid(unsafe_code)]
// `say!` ignores write errors.
#![warn(clippy::print_stderr)]

mod answered;
mod carried;
mod classmap;
mod cmd;
mod condition;
mod connected;
mod doctor;
mod exit;
mod fitness;
mod headed;
mod interrupt;
mod latency;
mod lateness;
mod load;
mod locale;
mod machine;
mod open_loop;
mod output;
mod path;
mod profile;
mod progress;
mod prove;
mod purge;
mod reference;
mod runs;
mod say;
mod serve;
mod status_range;
mod strangers;
mod terminal;
mod weigh;
mod whole_file;

fn main() -> std::process::ExitCode {
    cmd::run()
}
