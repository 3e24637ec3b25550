//! The principal type is [`Excimer`]: PHP's sampling profiler, in our own requests only.
//!
//! PHP-FPM gets what the web server would send, but with our script (`wrapper.php`), which starts the profiler and then
//! runs the application's. It writes samples to a file in the run's folder at the very end, including work after the
//! response. No setting is changed, neither of PHP-FPM nor by FastCGI's `PHP_VALUE`, which would stay with the worker.

mod prepended;
mod script;
mod settings;

use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unladen_fastcgi::Params;
use unladen_load::Cancel;
use unladen_profile::{Cluster, ClusterId, ExcimerLog, Input, Profile, Unit};

pub use self::prepended::Prepended;
use self::script::Script;
use self::settings::Settings;
use crate::capture_request::Captured;
use crate::fastcgi::{self, Limits, Timed};
use crate::profiler::{Answered, Profiler, ProfilerError};
use crate::run_folder::{RunFolder, open_theirs};

const NAME: &str = "excimer";
/// Runs in place of the application's script.
const WRAPPER: &str = include_str!("excimer/wrapper.php");
/// Interval of checks for the wrapper's log.
const LOOK: Duration = Duration::from_millis(2);
/// Largest log read: minutes of a deep stack, at the shortest period.
const MOST_LOG: u64 = 1 << 30;
/// Headers by which an application makes the web server send something else: the status is then not the application's.
const INSTEAD: [&str; 3] = ["X-Accel-Redirect", "X-Sendfile", "X-Reproxy-URL"];

/// How Excimer samples.
#[derive(Debug, Clone)]
pub struct ExcimerOptions {
    pub period: Duration,
    pub clock: Clock,
    /// For a request, and again for its work after the response.
    pub timeout: Duration,
}

/// The clock of sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Clock {
    /// Elapsed time, including waiting.
    Wall,
    /// The process's CPU time.
    Cpu,
}

/// Sends requests to PHP-FPM.
#[derive(Debug)]
pub struct Excimer {
    captured: Captured,
    options: ExcimerOptions,
    /// The request with our script in place of the application's.
    profiled: Params,
    /// Status of an answer without the profiler, once there was one.
    status: Option<u16>,
    out: PathBuf,
    wrapper: PathBuf,
    notes: Vec<String>,
    asked: u64,
    _folder: RunFolder,
}

impl ExcimerOptions {
    fn begin_request(&self, into: &mut Profile) -> ClusterId {
        into.about.profiler = NAME.to_owned();
        into.about.unit = Unit::Samples;
        into.about.period_ns = Some(u64::try_from(self.period.as_nanos()).unwrap_or(u64::MAX));
        into.about.are_requests = true;
        into.begin_request()
    }
}

// === impl Excimer ===

impl Excimer {
    /// Checks that PHP has the extension and can run our script. Fails if not, or if the run's folder cannot be made.
    pub fn open(captured: Captured, options: ExcimerOptions) -> Result<Self, ProfilerError> {
        let mut folder = RunFolder::create()?;
        let wrapper = folder.share("profile", "php", WRAPPER)?;
        let limits = Limits { timeout: options.timeout, keep: 1 << 20 };
        let asked = Settings::question(&wrapper, &captured.params);
        let told = fastcgi::request(&captured.address, &asked, b"", limits, &Cancel::new())?;
        let settings = Settings::read(&told.response, &captured, &wrapper)?;
        settings.check(&captured)?;
        let script = Script::find(&captured.params, &settings.root, settings.fixes_path_info)?;
        let out = folder.out(settings.uid, settings.gid)?;
        let mut profiled = captured.params.clone();
        script.replace(&mut profiled, &wrapper);
        for (name, value) in [
            ("PERIOD", options.period.as_nanos().max(1).to_string()),
            ("CLOCK", options.clock.into_str().to_owned()),
            ("SCRIPT", script.path.clone()),
            ("SELF", wrapper.display().to_string()),
        ] {
            profiled.set(&format!("UNLADEN_PROFILE_{name}"), value);
        }
        let notes = settings.notes(&script, captured.params.text("DOCUMENT_ROOT"));
        Ok(Self { captured, options, profiled, status: None, out, wrapper, notes, asked: 0, _folder: folder })
    }

    fn request(&self, params: &Params, cancel: &Cancel) -> Result<Timed, ProfilerError> {
        let limits = Limits { timeout: self.options.timeout, keep: 0 };
        fastcgi::request(&self.captured.address, params, &self.captured.body, limits, cancel)
    }

    fn log(&self, path: &Path, said: &str, cancel: &Cancel) -> Result<fs::File, ProfilerError> {
        let begun = Instant::now();
        loop {
            match open_theirs(path) {
                Ok(file) => return Ok(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(ProfilerError::Io { doing: "cannot read", path: path.to_owned(), source }),
            }
            if begun.elapsed() > self.options.timeout {
                return Err(ProfilerError::Answer(format!(
                    "PHP-FPM at {} has answered, but the profiler wrote nothing within {:?}: the request may have \
                     ended in a fatal error of a destructor, or its process was killed (request_terminate_timeout); \
                     see PHP's error log{said}",
                    self.captured.address, self.options.timeout
                )));
            }
            if cancel.wait(LOOK) {
                return Err(ProfilerError::Cancelled);
            }
        }
    }
}

impl Profiler for Excimer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        let timed = self.request(&self.captured.params, cancel)?;
        let (before, now) = (self.status.unwrap_or(self.captured.status), timed.response.status);
        let is_sent_instead = || INSTEAD.iter().any(|header| timed.response.header(header).is_some());
        if before != now && !(self.status.is_none() && is_sent_instead()) {
            return Err(ProfilerError::Answer(format!(
                "PHP-FPM at {} answers {now} to a request that it answered {before} before{}",
                self.captured.address,
                timed.response.said()
            )));
        }
        self.status = Some(now);
        Ok(timed.answered())
    }

    fn profile(&mut self, into: &mut Profile, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        let expected = match self.status {
            Some(status) => status,
            None => self.plain(cancel)?.status,
        };
        self.asked += 1;
        let path = self.out.join(self.asked.to_string());
        let mut params = self.profiled.clone();
        params.set("UNLADEN_PROFILE_OUT", path.display().to_string());
        let timed = self.request(&params, cancel)?;
        let (status, said) = (timed.response.status, timed.response.said());
        if status != expected {
            return Err(ProfilerError::Answer(format!(
                "PHP-FPM at {} answers {status} under Excimer, and {expected} without: the application may depend on \
                 the name of the script that was called first{said}",
                self.captured.address
            )));
        }
        let file = self.log(&path, &said, cancel)?;
        let failed = |source| ProfilerError::Io { doing: "cannot read", path: path.clone(), source };
        refuse_large(&file).map_err(failed)?;
        let cluster = self.options.begin_request(into);
        let mut reader = BufReader::new(file);
        ExcimerLog::add(&mut Input::new(&mut reader), self.wrapper.to_str(), into, cluster)?;
        // The folder's removal takes it away at the latest.
        let _ = fs::remove_file(&path);
        Ok(timed.answered())
    }

    fn finish(&mut self, into: &mut Profile) -> Result<(), ProfilerError> {
        into.clusters.iter_mut().for_each(Cluster::compact);
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// Refuses a log that takes more than [`MOST_LOG`].
fn refuse_large(log: &fs::File) -> io::Result<()> {
    if log.metadata()?.len() <= MOST_LOG {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, "more than 1 GiB: sample at a longer period"))
}

impl Timed {
    fn answered(&self) -> Answered {
        Answered { took: self.took, status: self.response.status, bytes: self.response.body_bytes }
    }
}
