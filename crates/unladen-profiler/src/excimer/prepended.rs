//! The principal type is [`Prepended`]: Excimer in a PHP that is not reached over FastCGI.
//!
//! By its settings (`auto_prepend_file`), that PHP runs a file of ours before each script. The file looks for a header
//! of our requests, and believes it only if the file it leads to is locked by a living process:
//!
//! ```text
//! /run/unladen-profile/run-RANDOM/
//!   TOKEN             0644: the orders; locked by us
//!   TOKEN.out         0666: for one request, made by us, locked and written by whoever answers it
//! ```
//!
//! Others cannot list the folder, and only we can create files there: the answering process need not be known before,
//! and nothing can replace what it writes.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::fcntl::{Flock, FlockArg};
use nix::unistd::Uid;
use unladen_load::{Cancel, Driver, DriverConfig, Header, Sample};
use unladen_profile::{Cluster, ExcimerLog, Input, Profile};

use super::settings::{Told, unit};
use super::{ExcimerOptions, LOOK, NAME, WRAPPER, refuse_large};
use crate::application::Application;
use crate::profiler::{Answered, Profiler, ProfilerError};
use crate::run_folder::RunFolder;
use unladen_path::name_of as process;

const HEADER: &str = "X-Unladen-Profile";
/// Indices of the driver's requests.
const PLAIN: usize = 0;
const PROFILED: usize = 1;
const MOST_TOLD: u64 = 1 << 20;
/// Bytes that contain the last line of a log.
const LAST_LINE: usize = 512;
const END: &[u8] = b"{\"end\":";

/// Sends requests with a header that only our own file in PHP understands.
#[derive(Debug)]
pub struct Prepended {
    driver: Driver,
    options: ExcimerOptions,
    url: String,
    token: String,
    wrapper: PathBuf,
    application: Option<Application>,
    notes: Vec<String>,
    /// Status of an answer without the profiler, once there was one.
    status: Option<u16>,
    /// The orders are believed while it is held.
    _orders: Flock<File>,
    folder: RunFolder,
}

// === impl Prepended ===

impl Prepended {
    /// The file for PHP to run before each script: the same for all runs, and without effect outside one.
    pub const FILE: &str = include_str!("prepend.php");

    /// Starts a client and sends a request, to check that PHP runs our file and has the extension. Fails if not, with
    /// what to do, or if the run's folder cannot be made.
    pub fn open(driver: DriverConfig, options: ExcimerOptions, cancel: &Cancel) -> Result<Self, ProfilerError> {
        if !Uid::effective().is_root() {
            return Err(ProfilerError::Missing {
                what: "the file in PHP trusts only root".to_owned(),
                remedy: "run this as root".to_owned(),
            });
        }
        let Some(request) = driver.requests.first().cloned() else {
            return Err(ProfilerError::NotFound("there is no request to profile".to_owned()));
        };
        let mut folder = RunFolder::create()?;
        let wrapper = folder.share("profile", "php", WRAPPER)?;
        let token = token()?;
        let orders = serde_json::json!({
            "WRAPPER": wrapper,
            "PERIOD": options.period.as_nanos().max(1).to_string(),
            "CLOCK": options.clock.into_str(),
        });
        let mut file = folder.file(&token, 0o644)?;
        let failed = |source| ProfilerError::Io { doing: "cannot write", path: folder.path().join(&token), source };
        file.write_all(orders.to_string().as_bytes()).map_err(failed)?;
        let held = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| failed(errno.into()))?;
        let header: Header = format!("{HEADER}: {}-{token}", folder.name())
            .parse()
            .map_err(|error| ProfilerError::NotFound(format!("cannot create the header: {error}")))?;
        let url = request.url().to_string();
        let requests = vec![request.clone(), request.with_header_first(&header)];
        let driver = Driver::start(DriverConfig { requests, concurrency: 1, rate: None, ..driver })?;
        if driver.target(PLAIN).is_some_and(|target| !target.is_local()) {
            return Err(ProfilerError::NotFound(format!(
                "{url} is not served by this machine: profile where the application runs"
            )));
        }
        let mut prepended = Self {
            driver,
            options,
            url,
            token,
            wrapper,
            application: None,
            notes: Vec::new(),
            status: None,
            _orders: held,
            folder,
        };
        prepended.look(cancel)?;
        Ok(prepended)
    }

    /// The process that answered first, if known.
    pub fn application(&self) -> Option<&Application> {
        self.application.as_ref()
    }

    fn look(&mut self, cancel: &Cancel) -> Result<(), ProfilerError> {
        let out = self.out()?;
        let sample = self.driver.sample(PROFILED, cancel)?;
        let (told, _) = self.told(&out, &sample)?;
        self.application = told.pid().and_then(|pid| Application::of(pid).ok());
        let (root, who, reload) = match &self.application {
            Some(Application { pid, .. }) => {
                let reload = match unit(*pid, &["apache", "httpd", "php", "caddy", "litespeed", "unit"]) {
                    Some(unit) => format!("systemctl restart {unit}"),
                    None => "start it again".to_owned(),
                };
                (PathBuf::from(format!("/proc/{pid}/root")), process(*pid), reload)
            }
            None => (PathBuf::from("/"), "in a container".to_owned(), "start it again".to_owned()),
        };
        told.check(&root, &who, &reload)?;
        self.notes = told.notes();
        Ok(())
    }

    /// The file for one request. The previous one is dropped, even if still being written.
    fn out(&self) -> Result<File, ProfilerError> {
        let name = format!("{}.out", self.token);
        let _ = fs::remove_file(self.folder.path().join(&name));
        self.folder.file(&name, 0o666)
    }

    /// PHP's description of itself at its start, and where that ends.
    fn told(&self, out: &File, sample: &Sample) -> Result<(Told, u64), ProfilerError> {
        let mut line = Vec::new();
        let mut begun = BufReader::new(out.take(MOST_TOLD));
        begun.read_until(b'\n', &mut line).map_err(|source| self.failed(source))?;
        match Told::read(&line) {
            Some(told) => Ok((told, line.len() as u64)),
            None if line.is_empty() => Err(self.not_run(sample)),
            None => Err(ProfilerError::Answer(format!("PHP at {} does not report its version and settings", self.url))),
        }
    }

    fn not_run(&self, sample: &Sample) -> ProfilerError {
        ProfilerError::Missing {
            what: format!(
                "{} is answered ({}), but not by a PHP that runs unladen's file before its scripts",
                self.url, sample.status
            ),
            remedy: "unladen profile --print-prepend > /usr/local/share/unladen-profile.php, then auto_prepend_file = \
                     /usr/local/share/unladen-profile.php in that PHP's settings (php.ini; php_value of Apache; -d of \
                     php -S; a file that is already set there can require this one), and restart it. If that is done: \
                     a cache may have answered, the header X-Unladen-Profile may be dropped, PHP may not see \
                     /run/unladen-profile (in a container, open_basedir), or it may keep scripts running between \
                     requests"
                .to_owned(),
        }
    }

    fn wait(&self, out: &File, cancel: &Cancel) -> Result<(), ProfilerError> {
        let begun = Instant::now();
        loop {
            // Checked first, so that what was written before the end is seen.
            let has_ended = is_free(out).map_err(|source| self.failed(source))?;
            if is_whole(out).map_err(|source| self.failed(source))? {
                return Ok(());
            }
            if has_ended || begun.elapsed() > self.options.timeout {
                let within = if has_ended {
                    "the request has ended".to_owned()
                } else {
                    format!("within {:?}", self.options.timeout)
                };
                return Err(ProfilerError::Answer(format!(
                    "PHP at {} has answered, but the profiler has not written everything ({within}): the request may \
                     have ended in a fatal error of a destructor, or its process was killed; see PHP's error log",
                    self.url
                )));
            }
            if cancel.wait(LOOK) {
                return Err(ProfilerError::Cancelled);
            }
        }
    }

    fn failed(&self, source: io::Error) -> ProfilerError {
        ProfilerError::Io { doing: "cannot read", path: self.folder.path().join(format!("{}.out", self.token)), source }
    }
}

impl Profiler for Prepended {
    fn name(&self) -> &'static str {
        NAME
    }

    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        let sample = self.driver.sample(PLAIN, cancel)?;
        self.status = Some(sample.status.as_u16());
        Ok(Answered::of(&sample))
    }

    fn profile(&mut self, into: &mut Profile, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        let expected = match self.status {
            Some(status) => status,
            None => self.plain(cancel)?.status,
        };
        let mut out = self.out()?;
        let sample = self.driver.sample(PROFILED, cancel)?;
        if sample.status.as_u16() != expected {
            return Err(ProfilerError::Answer(format!(
                "{} is answered {} under Excimer, and {expected} without",
                self.url,
                sample.status.as_u16()
            )));
        }
        let (_, begin) = self.told(&out, &sample)?;
        self.wait(&out, cancel)?;
        refuse_large(&out).map_err(|source| self.failed(source))?;
        let cluster = self.options.begin_request(into);
        out.seek(SeekFrom::Start(begin)).map_err(|source| self.failed(source))?;
        ExcimerLog::add(&mut Input::new(&mut BufReader::new(&out)), self.wrapper.to_str(), into, cluster)?;
        Ok(Answered::of(&sample))
    }

    fn finish(&mut self, into: &mut Profile) -> Result<(), ProfilerError> {
        into.clusters.iter_mut().for_each(Cluster::compact);
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// 128 random bits of the kernel's.
fn token() -> Result<String, ProfilerError> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; 16];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|source| ProfilerError::Io { doing: "cannot read", path: path.to_owned(), source })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn is_free(out: &File) -> io::Result<bool> {
    match Flock::lock(out.try_clone()?, FlockArg::LockSharedNonblock) {
        Ok(_) => Ok(true),
        Err((_, nix::errno::Errno::EWOULDBLOCK)) => Ok(false),
        Err((_, errno)) => Err(errno.into()),
    }
}

fn is_whole(out: &File) -> io::Result<bool> {
    let length = out.metadata()?.len();
    let at = length.saturating_sub(LAST_LINE as u64);
    let mut buffer = [0; LAST_LINE];
    let read = out.read_at(&mut buffer, at)?;
    let Some(lines) = buffer[..read].strip_suffix(b"\n") else { return Ok(false) };
    let last = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(last.starts_with(END))
}

#[cfg(test)]
mod tests;
