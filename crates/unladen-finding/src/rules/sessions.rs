//! PHP's sessions in files: [`in_memory`].

use unladen_trace::{Evidence, FileOutcome};

use crate::fix::Fix;
use crate::folders::named_file;
use crate::knob::Once;
use crate::php;

pub(super) const SESSION: &str = "sess_";
/// Folder for sessions: `/run` is in memory wherever there is systemd, and only root may create folders there.
const FOLDER: &str = "/run/unladen-sessions";
const MEMORY: [&str; 3] = ["/run/", "/var/run/", "/dev/shm/"];

pub(super) fn is_session(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with(SESSION))
}

/// Keeps PHP's own session files in memory. `None` if the application has its own place, or they are there already.
pub(super) fn in_memory(evidence: &Evidence, group: usize) -> Option<Fix> {
    let settings = evidence.php_of(group)?;
    if php::setting(Some(settings), "session.save_handler") != Some("files") || !php::may_read(settings, FOLDER) {
        return None;
    }
    // `N;MODE;/path` has subfolders that each begin with a letter of the name.
    let path = php::setting(Some(settings), "session.save_path").filter(|path| !matches!(*path, "" | "no value"));
    let path = path.map_or("/tmp", |path| path.rsplit(';').next().unwrap_or(path)).trim_end_matches('/');
    if MEMORY.iter().any(|folder| path.starts_with(folder)) {
        return None;
    }
    let is_there = |file: &str| is_session(file) && file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    named_file(evidence, group, |file| file.outcome == FileOutcome::Found && is_there(&file.path))?;
    let advice = "keep PHP's sessions in memory: most of a session file's cost is the disk's file system. All users \
                  are logged out once, and whenever the machine starts (Debian's cron job that removes old sessions \
                  looks into the folder of the settings)";
    let fix = php::fix(evidence, group, advice, &[&format!("session.save_path={FOLDER}")]);
    // Permissions as Debian has them for /var/lib/php/sessions: servers may create files, and nobody may list them.
    let make = format!("install -d -m 1733 {FOLDER}");
    let mut fix = php::switched(evidence, group, fix, "sessions in memory");
    fix = fix.also("/etc/tmpfiles.d/unladen-sessions.conf", [format!("d {FOLDER} 1733 root root -")]);
    if let Some(knob) = &mut fix.knob {
        knob.once.push(Once {
            makes: FOLDER.to_owned(),
            command: make.clone(),
            undo: Some(format!("rm -rf {FOLDER}")),
        });
    }
    fix.commands.insert(0, make);
    Some(fix)
}

#[cfg(test)]
mod tests;
