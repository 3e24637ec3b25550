//! The list of checks; those of one thing are one file.

mod applications;
mod folders;
mod privileges;
mod processors;
mod system;
mod tracer;
mod url;

use super::check::Check;

pub(crate) static CHECKS: &[Check] = &[
    privileges::PRIVILEGES,
    system::KERNEL,
    tracer::TRACER,
    tracer::STACKS,
    tracer::COUNTERS,
    system::CONTROL_GROUPS,
    system::CONTAINER,
    processors::STEAL,
    processors::CLOCK,
    processors::PROCESSORS,
    privileges::FILES,
    applications::PHP,
    applications::PERL,
    applications::SYMBOLS,
    folders::LOGS,
    folders::STORE,
    privileges::PORTS,
    system::SYSTEMD,
    folders::TEMPORARY,
    url::AUTHORITIES,
    url::URL,
];
