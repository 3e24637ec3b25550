//! The principal type is [`PhpFpm`]: PHP-FPM with a page, a pool and a socket of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::listen::Listen;
use super::running::Running;
use crate::Result;
use crate::scratch::ScratchFolder;

/// `pm.status_path`.
pub(crate) const STATUS: &str = "/fpm-status";

/// It runs until it is dropped.
pub(crate) struct PhpFpm {
    /// The folder of its page, `index.php`.
    pub(crate) root: PathBuf,
    pub(crate) socket: PathBuf,
    _running: Running,
}

impl PhpFpm {
    /// With so many workers; returns when it listens.
    pub(crate) fn start(name: &str, scratch: &ScratchFolder, workers: usize, page: &str) -> Result<Self> {
        // Its processes are another user's.
        fs::set_permissions(scratch.folder(), fs::Permissions::from_mode(0o755))?;
        let (root, socket) = (scratch.path(&format!("www-{name}")), scratch.path(&format!("{name}.sock")));
        fs::create_dir_all(&root)?;
        fs::write(root.join("index.php"), page)?;
        let listens = [Listen::Unix(socket.clone())];
        let command = |folder: &Path| command(folder, &socket, workers);
        let running = Running::start(&format!("php-fpm-{name}"), scratch, command, &listens)?;
        Ok(Self { root, socket, _running: running })
    }
}

fn command(folder: &Path, socket: &Path, workers: usize) -> Result<Command> {
    let mut config = format!(
        "[global]\nerror_log = {}\ndaemonize = no\n[bench]\nlisten = {}\nlisten.mode = 0666\npm = static\n\
         pm.max_children = {workers}\npm.status_path = {STATUS}\n",
        folder.join("fpm.log").display(),
        socket.display()
    );
    if nix::unistd::geteuid().is_root() {
        config.push_str("user = www-data\ngroup = www-data\n");
    }
    let path = folder.join("fpm.conf");
    fs::write(&path, config)?;
    let mut command = Command::new(program()?);
    command.args(["-F", "-y"]).arg(path);
    Ok(command)
}

/// The newest there is.
fn program() -> Result<PathBuf> {
    let all = fs::read_dir("/usr/sbin")?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_one = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("php-fpm"));
    all.filter(is_one).max().ok_or_else(|| "there is no php-fpm in /usr/sbin".into())
}
