//! The principal type is [`PhpFpm`]: PHP-FPM with a pool of its own in a temporary folder.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::wait;

/// How long a master may take to end its workers.
const PATIENCE: Duration = Duration::from_secs(5);

/// PHP-FPM with one pool; it ends with this.
#[derive(Debug)]
pub struct PhpFpm {
    folder: TempDir,
    process: Child,
}

// === impl PhpFpm ===

impl PhpFpm {
    /// With so many workers, and these lines in its pool besides. Pages are in [`Self::root`].
    pub fn start(workers: usize, lines: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a folder that all may enter");
        fs::create_dir(folder.path().join("www")).expect("a folder");
        let at = folder.path().display();
        let mut pool = format!(
            "[global]\nerror_log = {at}/fpm.log\ndaemonize = no\n[test]\nlisten = {at}/fpm.sock\nlisten.mode = 0666\n\
             pm = static\npm.max_children = {workers}\npm.status_path = /fpm-status\nping.path = /fpm-ping\n\
             catch_workers_output = yes\n"
        );
        // The master takes no other user unless it is root.
        if nix::unistd::geteuid().is_root() {
            pool.push_str("user = www-data\ngroup = www-data\n");
        }
        writeln!(pool, "{lines}").expect("text takes text");
        let config = folder.path().join("fpm.conf");
        fs::write(&config, pool).expect("a file");
        let start = fs::File::create(folder.path().join("start.log")).expect("a file");
        let process = Command::new(program()).args(["-F", "-y"]).arg(&config).stderr(start).spawn();
        let fpm = Self { process: process.expect("php-fpm is installed"), folder };
        wait::until_ok("PHP-FPM listens", || UnixStream::connect(fpm.socket()));
        fpm
    }

    /// Has it read its settings, as `systemctl reload` does, and waits until new workers have taken the place of the old.
    pub fn reload(&self) {
        let before = self.workers();
        kill(Pid::from_raw(self.process.id().cast_signed()), Signal::SIGUSR2).expect("a master that runs");
        let is_new = || {
            let now = self.workers();
            now.len() == before.len() && now.is_disjoint(&before)
        };
        assert!(wait::within(PATIENCE, is_new), "{before:?} are still there: {:?}", self.workers());
    }

    /// Its workers.
    pub fn workers(&self) -> BTreeSet<Pid> {
        let master = self.process.id();
        let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap_or_default();
        children.split_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect()
    }

    /// Where it listens.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("fpm.sock")
    }

    /// Where its scripts are.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("www")
    }

    /// Writes a file below [`Self::root`].
    pub fn page(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    /// Lines of a `[[site]]` for it; those of `more` may begin other tables.
    pub fn site(&self, more: &str) -> String {
        format!(
            "php = \"{}\"\nroot = \"{}\"\ntry = [\"{{path}}\", \"{{path}}/\", \"/index.php\"]\n{more}",
            self.socket().display(),
            self.root().display()
        )
    }
}

impl Drop for PhpFpm {
    fn drop(&mut self) {
        // A master that is killed leaves its workers behind; one that is asked ends them first.
        let master = Pid::from_raw(self.process.id().cast_signed());
        let asked = kill(master, Signal::SIGTERM).is_ok();
        if !asked || !wait::within(PATIENCE, || matches!(self.process.try_wait(), Ok(Some(_)))) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// The newest that is installed.
fn program() -> PathBuf {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/sbin")
        .expect("a folder of programs")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("php-fpm")))
        .collect();
    found.sort();
    found.pop().unwrap_or_else(|| Path::new("/usr/sbin/php-fpm").to_owned())
}
