//! PHP's built-in server, for one request: of a [`Page`]. The principal type is [`Server`].

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bstr::ByteSlice as _;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, Uid, User};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use unladen_classmap::OwnersRights;
use unladen_load::Cancel;
use unladen_machine::in_own_session;
use unladen_path::{Address, listeners};

use crate::classmap::summary::plain_text;
use crate::exit::Failure;

/// Limit of a page with all questions.
const WITHIN: Duration = Duration::from_secs(120);
/// Limit of PHP's start.
const START: Duration = Duration::from_secs(10);
/// How long a server needs to find its port taken.
const TAKEN: Duration = Duration::from_millis(500);
const MOST_PORTS: usize = 5;
/// Most bytes of a page, and of the loaders' answers.
const LONGEST: u64 = 64 << 20;
/// Most bytes of one answer of a loader.
const LONGEST_LINE: usize = 64 << 10;
const MOST_LINES: usize = 400_000;
/// How long the output of a program that was ended is waited for: what it has started may hold it open.
const DRAINING: Duration = Duration::from_secs(1);
/// How soon a signal is seen.
const PATIENCE: Duration = Duration::from_millis(200);

const ASK: &str = include_str!("ask.php");
const ROUTER: &str = include_str!("router.php");

pub(super) struct Server {
    php: PathBuf,
    user: Option<User>,
    folder: PathBuf,
    cancel: Cancel,
}

/// What `ask.php` says in one line, as the application lets it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub(super) loaders: Option<Vec<LoaderLine>>,
    /// How many of the loaders were registered in front.
    pub(super) front: Option<u64>,
    pub(super) class: Option<String>,
    pub(super) or: Option<String>,
    pub(super) file: Option<String>,
    pub(super) made: Option<String>,
    pub(super) more: Option<String>,
    pub(super) at: Option<u64>,
    pub(super) ran: Option<IgnoredAny>,
    pub(super) end: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LoaderLine {
    pub(super) name: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
}

/// What came of one start of PHP.
struct Said {
    answer: io::Result<Answer>,
    output: Vec<u8>,
    /// Whether it ended before it listened, as a server whose address is taken does.
    is_taken: bool,
    key: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn words(&self) -> String {
        format!("status {}, {} bytes", self.status, self.body.len())
    }
}

impl Server {
    /// `names` are the names to ask for. What PHP reads is put into `folder`, which others may enter. Fails if root has
    /// named no user, or an unknown one.
    pub(super) fn new(
        php: &Path,
        user: Option<&str>,
        folder: &Path,
        names: &[u8],
        cancel: Cancel,
    ) -> Result<Self, Failure> {
        let user = user.map(user_of).transpose()?;
        if Uid::effective().is_root() && user.as_ref().is_none_or(|user| user.uid.is_root()) {
            return Err(Failure::Usage(
                "--ask runs the application's code, but not as root: name the user of its PHP workers, such as --as \
                 www-data"
                    .to_owned(),
            ));
        }
        for (name, text) in [("ask.php", ASK.as_bytes()), ("router.php", ROUTER.as_bytes()), ("names", names)] {
            write_for_all(&folder.join(name), text).map_err(failed)?;
        }
        Ok(Self { php: php.to_owned(), user, folder: folder.to_owned(), cancel })
    }

    /// The rights of the user who runs the application: it may name any file.
    pub(super) fn rights(&self) -> Option<OwnersRights> {
        self.user.as_ref().map(|user| OwnersRights::of_user(user.uid, user.gid))
    }

    /// The page and the loaders' answers, beginning with the name of number `from`.
    pub(super) fn ask(&self, page: &Page, from: u64) -> Result<(Answer, Vec<Line>), Failure> {
        let (answer, said, key) = self.run(page, Some(&self.folder.join("ask.php")), from)?;
        let start = [key.as_bytes(), b" "].concat();
        let lines = said.lines().filter(|line| line.len() <= LONGEST_LINE).take(MOST_LINES);
        let lines = lines.filter_map(|line| line.strip_prefix(start.as_slice()));
        Ok((answer, lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()))
    }

    pub(super) fn get(&self, page: &Page, prepended: Option<&Path>) -> Result<Answer, Failure> {
        self.run(page, prepended, 0).map(|(answer, ..)| answer)
    }

    /// Picks a port that was free a moment ago; if somebody has taken it since, tries another.
    fn run(&self, page: &Page, prepended: Option<&Path>, from: u64) -> Result<(Answer, Vec<u8>, String), Failure> {
        let mut why = io::Error::other("no free port could be kept");
        for _ in 0..MOST_PORTS {
            let said = self.run_once(page, prepended, from);
            if self.cancel.is_cancelled() {
                return Err(Failure::Interrupted { shown: false });
            }
            match said {
                Ok(Said { is_taken: true, output, .. }) if output.is_empty() => {}
                Ok(Said { answer: Ok(answer), output, key, .. }) => return Ok((answer, output, key)),
                // A loader has ended PHP, or does not return.
                Ok(Said { output, key, .. }) if !output.is_empty() => {
                    return Ok((Answer { status: 0, body: Vec::new() }, output, key));
                }
                Ok(Said { answer: Err(error), .. }) | Err(error) => {
                    why = error;
                    break;
                }
            }
        }
        Err(Failure::Usage(format!("{}: PHP's own server, {} -S: {why}", page.shown, self.php.display())))
    }

    fn run_once(&self, page: &Page, prepended: Option<&Path>, from: u64) -> io::Result<Said> {
        // Each start has its own: whoever learns one learns nothing of the next.
        let key: String = (0..4).map(|_| format!("{:08x}", fastrand::u32(..))).collect();
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|one| one.local_addr())?;
        let mut running = Running(self.command(page, prepended, address, &key).spawn()?);
        let output = running.0.stdout.take();
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let Some(mut output) = output else { return };
            let mut said = Vec::new();
            let _ = output.by_ref().take(LONGEST).read_to_end(&mut said);
            let _ = tell.send(said);
            // Further output is drained, so that PHP does not block.
            let _ = io::copy(&mut output, &mut io::sink());
        });
        let (answer, is_taken) = match running.connect(address, &self.cancel) {
            Ok(stream) => (self.request(stream, address, page, from, &key), false),
            Err(error) => (Err(error), running.ends()),
        };
        drop(running);
        let output = told.recv_timeout(DRAINING);
        let output =
            output.map_err(|_| io::Error::other("what the page has started goes on, and holds PHP's output"))?;
        Ok(Said { answer, output, is_taken, key })
    }

    fn command(&self, page: &Page, prepended: Option<&Path>, address: SocketAddr, key: &str) -> Command {
        // It ends with this process, however that ends.
        let mut command = in_own_session(Path::new("/usr/bin/setpriv"));
        command.args(["--pdeathsig", "KILL", "--"]).arg(&self.php);
        // The opcode cache would provide files without opening them.
        command.args(["-d", "opcache.enable=0", "-d", "display_errors=0", "-d", "output_buffering=4096"]);
        let mut setting = std::ffi::OsString::from("auto_prepend_file=");
        setting.push(prepended.unwrap_or(Path::new("")));
        command.arg("-d").arg(setting);
        command.arg("-S").arg(address.to_string()).arg("-t").arg(&page.folder).arg(self.folder.join("router.php"));
        // The application gets nothing of root's environment.
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LC_ALL", "C.UTF-8");
        command.env("UNLADEN_ASK_KEY", key).env("UNLADEN_ASK_NAMES", self.folder.join("names"));
        command.current_dir(&page.folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(user) = self.user.as_ref().filter(|user| user.uid != Uid::effective()) {
            // `Command::uid` drops root's supplementary groups too.
            command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
        }
        command
    }

    fn request(
        &self,
        mut stream: TcpStream,
        address: SocketAddr,
        page: &Page,
        from: u64,
        key: &str,
    ) -> io::Result<Answer> {
        use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
        let until = Instant::now() + WITHIN;
        // In one write: PHP's server takes the first packet for the whole request.
        let request = format!(
            "GET {} HTTP/1.0\r\nHost: {address}\r\nX-Unladen-Ask: {}\r\nX-Unladen-From: {from}\r\n\
             Accept: text/html,*/*\r\nUser-Agent: unladen\r\n\r\n",
            page.target, key
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        let mut piece = vec![0; 64 << 10];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || answer.len() as u64 > LONGEST || self.cancel.is_cancelled() {
                return Err(io::Error::other("the answer takes too long, or is too long"));
            }
            stream.set_read_timeout(Some(left.min(PATIENCE)))?;
            match stream.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => answer.extend_from_slice(piece.get(..read).unwrap_or_default()),
                Err(error) if matches!(error.kind(), Interrupted | WouldBlock | TimedOut) => {}
                Err(error) => return Err(error),
            }
        }
        let status = answer.get(9..12).and_then(|status| status.to_str().ok()?.parse().ok());
        let body = answer.find("\r\n\r\n").map(|end| answer.split_off(end + 4));
        match (status, body) {
            (Some(status), Some(body)) => Ok(Answer { status, body }),
            _ => Err(io::Error::other("it did not answer")),
        }
    }
}

/// Whoever runs PHP reads it, whatever the umask.
pub(super) fn write_for_all(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

pub(super) fn failed(error: io::Error) -> Failure {
    Failure::Usage(format!("cannot make a folder in the system's folder for temporary files: {error}"))
}

fn user_of(name: &str) -> Result<User, Failure> {
    let no = |why: &str| Failure::Usage(format!("--as {}: {why}", plain_text(name)));
    let user = User::from_name(name).map_err(|error| no(error.desc()))?.ok_or_else(|| no("no such user"))?;
    if !Uid::effective().is_root() && user.uid != Uid::effective() {
        return Err(no("only root can run PHP as another user: leave --as out"));
    }
    Ok(user)
}

/// Killed when dropped.
struct Running(Child);

impl Running {
    /// Whether it has ended or does so shortly.
    fn ends(&mut self) -> bool {
        let until = Instant::now() + TAKEN;
        while Instant::now() < until {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return true;
            }
            thread::sleep(Duration::from_millis(5));
        }
        false
    }

    /// Connects once this very process listens there, and nobody who was quicker.
    fn connect(&mut self, address: SocketAddr, cancel: &Cancel) -> io::Result<TcpStream> {
        let until = Instant::now() + START;
        loop {
            let holders = listeners(&Address::Tcp(address)).map_err(io::Error::other)?.unwrap_or_default();
            if holders.contains(&self.0.id()) {
                return TcpStream::connect(address);
            }
            if Instant::now() > until || cancel.is_cancelled() {
                return Err(io::Error::other("it did not begin to listen"));
            }
            if let Some(status) = self.0.try_wait()? {
                return Err(io::Error::other(format!("it ended at once ({status})")));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // All of its session's own group: what a page has started, too. Once it is waited for, its number may be another's.
        if let (Ok(None), Ok(pid)) = (self.0.try_wait(), i32::try_from(self.0.id())) {
            let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Escaped in a request target.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'`');
/// Escaped in its path.
const IN_PATH: &AsciiSet = &ESCAPED.add(b'?').add(b'%');
/// Document roots: such a folder is served rather than its parent.
const SERVED: [&str; 6] = ["public", "web", "www", "htdocs", "docroot", "html"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    /// The folder that is served.
    pub(super) folder: PathBuf,
    pub(super) target: String,
    /// As typed, for people.
    pub(super) shown: String,
}

impl Page {
    /// Parses `admin/index.php?page=2`, relative to the application's folder. Fails if there is no such script.
    pub(super) fn of(root: &Path, script: &str) -> Result<Self, Failure> {
        let shown = plain_text(script);
        let (path, query) = script.split_once('?').map_or((script, None), |(path, query)| (path, Some(query)));
        let path = path.trim_start_matches('/');
        let is_plain = !path.split('/').any(|part| matches!(part, "" | "." | ".."));
        // What follows the script is its PATH_INFO.
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let is_there =
            is_plain && ends.into_iter().any(|end| path[..end].ends_with(".php") && root.join(&path[..end]).is_file());
        if !is_there {
            return Err(Failure::Usage(format!(
                "--ask {shown}: expected a PHP script below {}, such as --ask index.php or --ask 'index.php?page=2'",
                plain_text(&root.display().to_string())
            )));
        }
        let (folder, path) = match path.split_once('/') {
            Some((first, rest)) if SERVED.contains(&first) => (root.join(first), rest),
            _ => (root.to_owned(), path),
        };
        let query = query.map_or_else(String::new, |query| format!("?{}", utf8_percent_encode(query, ESCAPED)));
        Ok(Self { folder, target: format!("/{}{query}", utf8_percent_encode(path, IN_PATH)), shown })
    }
}

#[cfg(test)]
mod tests;
