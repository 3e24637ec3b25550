//! [`group_seen`]: a group as evidence names it, and its container.

use unladen_trace::{ContainerSeen, GroupSeen};

use crate::container::Container;
use crate::instrument::Instrument;
use crate::ledger::GroupId;
use crate::server::server_seen;

/// Folders of PHP settings by packager: Debian (newest first), the official PHP image, Alpine, Fedora.
const PHP_FOLDERS: [&str; 12] = [
    "/etc/php/8.5/fpm/conf.d",
    "/etc/php/8.4/fpm/conf.d",
    "/etc/php/8.3/fpm/conf.d",
    "/etc/php/8.2/fpm/conf.d",
    "/etc/php/8.1/fpm/conf.d",
    "/etc/php/7.4/fpm/conf.d",
    "/usr/local/etc/php/conf.d",
    "/etc/php84/conf.d",
    "/etc/php83/conf.d",
    "/etc/php82/conf.d",
    "/etc/php8/conf.d",
    "/etc/php.d",
];

/// A group's name, program, server and container, without weights. The processes in `took`, at which requests were
/// seen, tell its server from others of its kind.
pub fn group_seen(instrument: &Instrument, group: GroupId, took: &[u32]) -> GroupSeen {
    let exe = instrument.members(group).find_map(|member| {
        Some(std::fs::read_link(format!("/proc/{}/exe", member.pid)).ok()?.to_string_lossy().into_owned())
    });
    let container = one_container(instrument.members(group).map(|member| member.pid.cast_unsigned()));
    let pids = instrument.members(group).map(|member| member.pid.cast_unsigned());
    let server = server_seen(pids, took, container.is_some());
    GroupSeen { name: instrument.group(group).name.clone(), exe, container, server, ..GroupSeen::default() }
}

/// The container in which all of a group live; one of the same name on the host has its files there.
fn one_container(mut pids: impl Iterator<Item = u32>) -> Option<ContainerSeen> {
    let container = Container::of(pids.next()?)?;
    // An ended process lives nowhere.
    let has_ended = |pid| !std::path::Path::new("/proc").join(format!("{pid}")).exists();
    let is_there = |pid| Container::of(pid).is_some_and(|other| other.name == container.name);
    if !pids.all(|pid| is_there(pid) || has_ended(pid)) {
        return None;
    }
    let php_folder = container.first_folder(PHP_FOLDERS).map(ToOwned::to_owned);
    Some(ContainerSeen { name: container.name, restart: container.restart, php_folder })
}
