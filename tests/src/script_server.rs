//! The principal type is [`ScriptServer`]: a page of a test's own, behind PHP's or Python's own web server.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::unistd::Pid;
use tempfile::TempDir;

use crate::port::free_port;
use crate::wait;

/// A server with one process, of a name that no other program on the machine has: `user name` is a group of its own. It
/// ends when this is dropped, or with the test's thread.
#[derive(Debug)]
pub struct ScriptServer {
    folder: TempDir,
    name: String,
    port: u16,
    child: Child,
}

/// A program that speaks HTTP, and how it is told where.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Php,
    Python,
}

// === impl ScriptServer ===

impl ScriptServer {
    /// PHP with this page, and these settings (`opcache.enable_cli=1`).
    pub fn php(page: &str, settings: &[&str]) -> Self {
        Self::php_of(page, settings, |_| {})
    }

    /// The same; `prepare` is given the copy of PHP before it is started.
    pub fn php_of(page: &str, settings: &[&str], prepare: impl FnOnce(&Path)) -> Self {
        Self::start(Kind::Php, page, settings, prepare)
    }

    /// Python with this script, which serves HTTP at the port in its first argument.
    pub fn python(script: &str) -> Self {
        Self::start(Kind::Python, script, &[], |_| {})
    }

    fn start(kind: Kind, page: &str, settings: &[&str], prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let port = free_port();
        let (program, file) = match kind {
            Kind::Php => ("php", "index.php"),
            // The system's own: another one may bring its own SQLite, or not find its library from where the copy is.
            Kind::Python => ("/usr/bin/python3", "page.py"),
        };
        std::fs::write(folder.path().join(file), page).expect("a file of our own");
        // Ends in a letter: groups of processes are looked up by their names less versions.
        let original = std::fs::canonicalize(which(program)).expect("a program");
        let own_name = program.rsplit('/').next().unwrap_or(program);
        let name = format!("{own_name}-test{port}x");
        let copy = folder.path().join(&name);
        // By another process: a file that this one has open for writing is passed on to whatever another thread starts at
        // this moment, and is not executed as long as that has it (ETXTBSY).
        let copied = Command::new("cp").arg("--").arg(original).arg(&copy).status().expect("cp");
        assert!(copied.success(), "a copy of the program: {copied}");
        prepare(&copy);
        // The parent is this thread, which a panic ends too.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(&copy).current_dir(folder.path());
        match kind {
            Kind::Php => {
                command.env("PHP_INI_SCAN_DIR", php_settings(folder.path()));
                command.args(settings.iter().flat_map(|setting| ["-d", setting]));
                command.args(["-S", &format!("127.0.0.1:{port}"), "-t"]).arg(folder.path());
            }
            Kind::Python => _ = command.arg(file).arg(port.to_string()),
        }
        // Else it looks for its library near the copy.
        command.env("PYTHONHOME", "/usr");
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("setpriv");
        let mut site = Self { folder, name, port, child };
        site.wait_until_up();
        site
    }

    fn wait_until_up(&mut self) {
        wait::until_ok(&format!("{} comes up", self.name), || {
            let ended = self.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "{} ends: {ended:?}", self.name);
            TcpStream::connect(("127.0.0.1", self.port))
        });
    }

    /// The page's address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The executable's name, by which its group is known.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its process.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("a pid is positive"))
    }

    /// A file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for ScriptServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder for `PHP_INI_SCAN_DIR`, made in this one: what this machine's PHP is set to, less Excimer. A package
/// enables it as it is installed, and a test has it loaded or not, whoever did so.
pub fn php_settings(folder: &Path) -> PathBuf {
    let output =
        Command::new(which("php")).args(["-r", "echo PHP_CONFIG_FILE_SCAN_DIR;"]).output().expect("php starts");
    let machines = PathBuf::from(String::from_utf8(output.stdout).expect("a path"));
    let own = folder.join("php.d");
    std::fs::create_dir(&own).expect("a folder of our own");
    for entry in std::fs::read_dir(&machines).expect("PHP's folder of settings").flatten() {
        let name = entry.file_name();
        if !name.to_string_lossy().ends_with("excimer.ini") {
            std::os::unix::fs::symlink(entry.path(), own.join(name)).expect("a link of our own");
        }
    }
    own
}

fn which(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{program} is not installed: see scripts/test"))
}
