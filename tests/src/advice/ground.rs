//! The principal type is [`Ground`]: the server that a printed fix is applied to.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::undo::Undo;
use crate::binary::binary;
use crate::subject::Subject;
use crate::wait;

/// Folders of the machine's settings, and those of the subject's state that stand for them: where Debian's nginx and
/// MariaDB read further settings from, PgBouncer's own, and Sympa's.
const FOLDERS: [(&str, &str); 4] = [
    ("/etc/nginx/conf.d/", "conf.d/"),
    ("/etc/pgbouncer/", "pgbouncer.etc/"),
    ("/etc/mysql/mariadb.conf.d/", "mariadb.etc/"),
    ("/etc/sympa/sympa/", ""),
];

/// Where the PgBouncer that is printed writes its number.
const POOLER: &str = "/var/run/postgresql/pgbouncer.pid";
/// What is printed to start it, with systemd and without.
const POOLER_STARTS: [&str; 2] = ["systemctl restart pgbouncer", "service pgbouncer restart"];
/// What is printed to switch a database's write-ahead log on.
const WAL: &str = " 'PRAGMA journal_mode=WAL;'";

/// A subject, and what stands for the machine's own service manager: printed commands name `systemctl` and `nginx`, and
/// reach the subject's servers by stand-ins for these on the path. [`FOLDERS`] are the subject's too.
///
/// There is one at a time: what is weighed is told by its user and program, which another subject's servers have too.
#[derive(Debug)]
pub struct Ground {
    subject: Subject,
    site: String,
    folder: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

impl Ground {
    /// A subject, which this brings up when no other is.
    pub fn of(up: impl FnOnce() -> Subject) -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let subject = up();
        // It goes with the subject.
        let folder = Path::new(subject.get("UNLADEN_STATE")).join("ground");
        let (scheme, rest) = subject.url().split_once("://").expect("a URL");
        let site = format!("{scheme}://{}", rest.split('/').next().unwrap_or(rest));
        let ground = Self { subject, site, folder, _alone: alone };
        for (_, own) in FOLDERS {
            fs::create_dir_all(ground.state().join(own)).expect("a folder");
        }
        ground.stand_ins();
        ground
    }

    fn stand_ins(&self) {
        let state = self.state().display();
        let run = self.subject.script().display();
        let home = self.subject.get("UNLADEN_STATE");
        let systemctl = format!(
            "#!/bin/sh\n# Of PHP-FPM and nginx; other units are not there.\ncase \"$1 $2\" in\n    \
             'reload php'*-fpm* | 'restart php'*-fpm*) UNLADEN_STATE={home} UNLADEN_WORKERS=${{UNLADEN_WORKERS:-1}} exec {run} restart ;;\n    \
             'restart wwsympa') UNLADEN_STATE={home} exec {run} restart ;;\n    \
             'restart pgbouncer') [ ! -e {POOLER} ] && exec /usr/sbin/pgbouncer -d -q -u postgres {state}/pgbouncer.etc/pgbouncer.ini ;;\n    \
             'reload nginx' | 'restart nginx') exec nginx -s reload ;;\n    \
             *) echo \"no such unit here: $*\" >&2; exit 5 ;;\nesac\n"
        );
        let nginx =
            format!("#!/bin/sh\nexec /usr/sbin/nginx -e {state}/log/nginx.error.log -c {state}/nginx.conf \"$@\"\n");
        let socket = self.subject.find("DATABASE_SOCKET").unwrap_or_default();
        let mariadb = format!("#!/bin/sh\nexec /usr/bin/mariadb --no-defaults --socket={socket} \"$@\"\n");
        let unladen = format!("#!/bin/sh\nexec {} \"$@\"\n", binary().display());
        let service = "#!/bin/sh\n# As a machine without systemd has it.\nexec systemctl \"$2\" \"$1\"\n".to_owned();
        let bin = self.folder.join("bin");
        fs::create_dir_all(&bin).expect("a folder");
        let stand_ins = [
            ("systemctl", systemctl),
            ("service", service),
            ("nginx", nginx),
            ("mariadb", mariadb),
            ("unladen", unladen),
        ];
        for (name, text) in stand_ins {
            let path = bin.join(name);
            fs::write(&path, text).expect("a script");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
        }
    }

    /// What it stands on.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// `http://127.0.0.1:23456`
    pub fn site(&self) -> &str {
        &self.site
    }

    fn state(&self) -> &Path {
        Path::new(self.subject.get("STATE"))
    }

    /// The application's settings that tell whom it calls, where the subject names them.
    pub fn settings(&self) -> Option<PathBuf> {
        self.subject.find("CONF").map(PathBuf::from)
    }

    /// Where a file is that a fix names.
    pub fn path(&self, file: &str) -> PathBuf {
        let ours = |(theirs, own): (&str, &str)| Some(self.state().join(own).join(file.strip_prefix(theirs)?));
        match FOLDERS.into_iter().find_map(ours) {
            Some(path) => path,
            None if file.starts_with('/') => file.into(),
            None => self.folder.join(file),
        }
    }

    /// Whether a file is the subject's own.
    pub fn is_ours(&self, file: &str) -> bool {
        self.path(file).starts_with(self.state())
    }

    /// Whether lines are the whole of a file, and not to be put at its end.
    pub(super) fn is_whole(&self, file: &str) -> bool {
        file == "unladen.toml" || file.ends_with("/pgbouncer.ini")
    }

    /// What has the changes of a fix put back.
    pub(super) fn undo(&self) -> Undo {
        let mut undo = Undo::new(&self.programs());
        undo.run("systemctl restart php-fpm; nginx -t && nginx -s reload");
        undo
    }

    /// Has ended what a command has started.
    pub(super) fn end_after(&self, command: &str, undo: &mut Undo) {
        if !POOLER_STARTS.contains(&command) {
            return;
        }
        // It writes its number once it is in the background.
        let pid = wait::until_ok("PgBouncer comes up", || {
            fs::read_to_string(POOLER).ok().filter(|pid| pid.ends_with('\n')).ok_or("it has not said its number")
        });
        undo.run(&format!("kill {}", pid.trim()));
    }

    /// Has put back what a command is going to change.
    pub(super) fn keep_for(&self, command: &str, undo: &mut Undo) {
        // A database is not a file to be put back while others have it open.
        if let Some(database) = command.strip_prefix("sqlite3 ").and_then(|rest| rest.strip_suffix(WAL)) {
            undo.run(&format!("sqlite3 {database} 'PRAGMA journal_mode=DELETE;'"));
            return;
        }
        if POOLER_STARTS.contains(&command) {
            undo.keep(Path::new("/var/log/postgresql/pgbouncer.log"));
        }
        let words = command.split([' ', '>', ';', '"', '\'', '(', ')']).filter(|word| word.starts_with('/'));
        // A copy of a server's socket leads to nobody.
        let is_file = |path: &Path| path.metadata().map_or(true, |found| found.is_file());
        for word in words.filter(|word| self.is_ours(word) && is_file(&self.path(word))) {
            undo.keep(&self.path(word));
        }
        // A class map lies in the tree that it is of, or where its kind of maps is kept.
        if let Some(tree) = command.strip_prefix("unladen classmap ").and_then(|rest| rest.split(' ').next_back()) {
            for folder in [tree.to_owned(), format!("/var/lib/unladen{tree}")] {
                undo.keep(&Path::new(&folder).join("unladen-classmap.php"));
            }
        }
    }

    /// A shell command, as it is printed.
    ///
    /// # Errors
    /// With what it said, if it did not succeed.
    pub fn run(&self, command: &str) -> Result<String, String> {
        let done = self.shell(command).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        match done.status.success() {
            true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
            false => Err(format!("{command}: {}\n{said}", done.status)),
        }
    }

    pub(super) fn start(&self, command: &str) -> Child {
        let command = format!("exec {command}");
        let mut shell = self.shell(&command);
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell")
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.with_folders(command)]).current_dir(&self.folder).env("PATH", self.programs());
        // As the only one of a machine has it.
        shell.envs(self.subject.find("DATABASE_PORT").map(|port| ("PGPORT", port)));
        shell
    }

    /// The `PATH` on which its stand-ins are.
    pub fn programs(&self) -> String {
        format!("{}:{}", self.folder.join("bin").display(), std::env::var("PATH").unwrap_or_default())
    }

    /// A text that names the subject's folders in place of the machine's.
    pub fn with_folders(&self, text: &str) -> String {
        let own =
            |text: String, (theirs, own): (&str, &str)| text.replace(theirs, &self.state().join(own).to_string_lossy());
        FOLDERS.into_iter().fold(text.to_owned(), own)
    }

    /// The printed experiment, run as it is printed, but for fewer requests.
    ///
    /// # Errors
    /// With what it said, if it did not succeed.
    pub fn experiment(&self, printed: &str) -> Result<String, String> {
        match printed.split_once("unladen prove try.toml, where try.toml is:\n") {
            Some((_, text)) => {
                let file = self.folder.join("try.toml");
                fs::write(file, self.with_folders(text)).map_err(|error| error.to_string())?;
                self.run("unladen prove try.toml -n 40")
            }
            None if printed.starts_with("unladen prove ") => self.run(&format!("{printed} -n 60")),
            None => Err(format!("no experiment: {printed}")),
        }
    }
}
