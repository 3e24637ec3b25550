//! Unladen weighs what each request of a web application carries. This file is a table of contents; each command is a
//! file in `cmd/`.
#![forbid(unsafe_code)]
// `say!` ignores write errors.
#![warn(clippy::print_stderr)]

mod admin;
mod answered;
mod bill;
mod carried;
mod classmap;
mod cmd;
mod condition;
mod doctor;
mod exit;
mod fix;
mod interrupt;
mod latency;
mod lateness;
mod load;
mod locale;
mod machine;
mod output;
mod path;
mod profile;
mod progress;
mod prove;
mod purge;
mod runs;
mod say;
mod serve;
mod terminal;
mod weigh;
mod whole_file;

fn main() -> std::process::ExitCode {
    unladen_machine::keep_inherited_descriptors();
    cmd::run()
}
