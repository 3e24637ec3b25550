//! Squid.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::contestant::{Contestant, Place};
use crate::{Result, peers};

/// As Debian packages it.
pub(super) struct Squid;

impl Squid {
    pub(super) fn find() -> Option<Self> {
        peers::has("squid").then_some(Self)
    }
}

impl Contestant for Squid {
    fn name(&self) -> String {
        "squid".into()
    }

    fn command(&self, place: &Place<'_>, folder: &Path) -> Result<Command> {
        let path = folder.join("squid.conf");
        fs::write(&path, config(place, folder))?;
        // Started by root it becomes a user of its own, and writes its log as that.
        fs::set_permissions(folder, Permissions::from_mode(0o777))?;
        let mut command = Command::new("/usr/sbin/squid");
        // What one that was killed has left would stop the next one of its name.
        let name = format!("bench{}", std::process::id());
        forget(&name);
        // In the foreground, a single process.
        command.args(["-N", "-n", &name, "-f"]).arg(path);
        Ok(command)
    }

    fn speaks_tls(&self) -> bool {
        false
    }
}

fn forget(name: &str) {
    let Ok(segments) = fs::read_dir("/dev/shm") else { return };
    for segment in segments.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(name)) {
        let _ = fs::remove_file(segment.path());
    }
}

/// In memory alone.
fn config(place: &Place<'_>, folder: &Path) -> String {
    let Place { listen, origin, memory, .. } = place;
    let at = folder.display();
    format!(
        "http_port 127.0.0.1:{listen} accel defaultsite=localhost
cache_peer 127.0.0.1 parent {origin} 0 no-query no-digest originserver name=application
http_access allow all
visible_hostname localhost
cache_mem {memory} bytes
maximum_object_size_in_memory 1 MB
memory_cache_mode always
memory_replacement_policy lru
access_log none
cache_store_log none
cache_log {at}/cache.log
pid_filename {at}/squid.pid
coredump_dir {at}
pinger_enable off
netdb_filename none
client_idle_pconn_timeout 1 hour
client_lifetime 1 day
shutdown_lifetime 0 seconds
"
    )
}
