//! The list of checks; one file a check.

mod cgroup;
mod clock;
mod container;
mod counters;
mod kernel;
mod logs;
mod open_files;
mod perl;
mod php;
mod ports;
mod privileges;
mod processes;
mod processors;
mod roots;
mod stacks;
mod steal;
mod store;
mod symbols;
mod systemd;
mod temporary;
mod tracer;
mod url;

use super::check::Check;

pub(crate) static CHECKS: &[&dyn Check] = &[
    &privileges::Privileges,
    &kernel::Kernel,
    &tracer::TracerLoads,
    &stacks::Stacks,
    &counters::Counters,
    &cgroup::ControlGroups,
    &container::Container,
    &steal::Steal,
    &clock::Clock,
    &processors::Processors,
    &open_files::OpenFiles,
    &php::Php,
    &perl::Perl,
    &symbols::Symbols,
    &logs::Logs,
    &store::Store,
    &ports::Ports,
    &systemd::Systemd,
    &temporary::Temporary,
    &roots::Authorities,
    &url::Page,
];
