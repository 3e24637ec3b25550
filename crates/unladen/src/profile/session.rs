//! The principal type is [`Session`]: a [`Page`] under its profiler, by [`Options`].

use std::time::{Duration, Instant};

use unladen_document::{Answer, OpenNs, ProfileSetup, nanos};
use unladen_load::{Cancel, Driver, DriverConfig};
use unladen_lockin::ratio;
use unladen_path::follow;
use unladen_probe::{GroupBy, Instrument, ProbeError};
use unladen_profile::{About, FrameKind, MIN_REQUESTS, Profile, Unit};
use unladen_profiler::{
    Application, Clock, Excimer, ExcimerOptions, Kind, NytProf, NytProfOptions, PerfClock, PerfClockOptions, Prepended,
    Profiler, ProfilerError, capture_request,
};
use unladen_report::Ended;
use unladen_trace::Carried;

use crate::answered::compared_with_a_browsers;
use crate::carried::{Secrets, carried};
use crate::exit::Failure;
use crate::path::Path;
use crate::progress::Progress;

/// Requests sent before anything is kept, to fill caches and let the slowest worker begin.
const WARM_UP: usize = 3;
/// One request in this many is sent without the profiler, to know what the profiler adds.
const PLAIN_EVERY: usize = 4;
/// Samples a second of the kernel's clock: no divisor of its ticks, so that work in step with those is seen.
const FREQUENCY: u64 = 997;
/// A profiler makes a request several times slower, and the time-out is meant for requests without.
const SLOWER: u32 = 10;

pub(crate) struct Session {
    title: String,
    pub(super) profiler: Box<dyn Profiler>,
    profile: Profile,
    /// The request's method, and what it carries as far as it may be shown.
    request: (String, Carried),
    group: String,
    answer: Answer,
    how: String,
    notes: Vec<String>,
    missing: Missing,
    plain: Vec<f64>,
    /// The time that each profiled request took, ns.
    pub(super) profiled: Vec<f64>,
    begun: Instant,
    rng: fastrand::Rng,
}

pub(crate) struct Measured {
    pub(crate) setup: ProfileSetup,
    pub(crate) profile: Profile,
    pub(crate) request: (String, Carried),
    pub(crate) notes: Vec<String>,
    pub(crate) of_cpu: bool,
    pub(crate) fresh: bool,
}

impl Session {
    /// Finds what answers and its profiler; sends some requests that are not kept. Fails if there is no answer, or no
    /// profiler for what answers.
    pub(crate) fn open(page: Page, options: &Options, cancel: &Cancel, progress: &Progress) -> Result<Self, Failure> {
        let title = page.title.clone();
        let mut notes = Vec::new();
        let (profiler, application) = choose(&page, options, cancel, progress, &mut notes)?;
        let (_, answer) = compared_with_a_browsers(&mut Driver::start(page.driver.clone())?, &page.driver, 0, cancel)?;
        // Other profilers cover only the one program that answers.
        let missing = match profiler.name() {
            "perf" => {
                progress.say("finding the request's path");
                Missing::follow(&page.driver, cancel)?
            }
            _ => Missing::default(),
        };
        let request = page.driver.requests.first().map_or_else(Default::default, |request| {
            (request.method().to_string(), carried(request, &page.driver, Secrets::LeftOut))
        });
        let how = how(profiler.name(), options);
        progress.say("finding the process that answers");
        let group = application.map_or_else(
            || Ok("everything that follows the requests".to_owned()),
            |application| group_of(&application),
        )?;
        let about = About {
            title: title.clone(),
            profiler: profiler.name().to_owned(),
            unit: Unit::default(),
            are_requests: true,
            ..About::default()
        };
        let mut session = Self {
            title,
            profiler,
            profile: Profile::new(about),
            request,
            group,
            answer,
            how,
            notes,
            missing,
            plain: Vec::new(),
            profiled: Vec::new(),
            begun: Instant::now(),
            rng: fastrand::Rng::with_seed(options.seed),
        };
        // No request of a fresh process is warm.
        if !options.fresh {
            progress.say("warming up");
            for _ in 0..WARM_UP {
                session.profiler.plain(cancel)?;
            }
        }
        session.begun = Instant::now();
        Ok(session)
    }

    /// Sends one more request, sometimes also one without the profiler.
    pub(crate) fn step(&mut self, cancel: &Cancel) -> Result<(), Failure> {
        // Enough for an interval first.
        let with_plain = self.plain.len() < MIN_REQUESTS
            || self.rng.usize(..PLAIN_EVERY) == 0
            || self.plain.len() * PLAIN_EVERY < self.profiled.len();
        // In random order, so that neither is always second.
        let first = with_plain && self.rng.bool();
        if first {
            self.plain(cancel)?;
        }
        let answered = self.profiler.profile(&mut self.profile, cancel)?;
        self.profiled.push(answered.took.as_nanos() as f64);
        if with_plain && !first {
            self.plain(cancel)?;
        }
        Ok(())
    }

    fn plain(&mut self, cancel: &Cancel) -> Result<(), Failure> {
        let answered = self.profiler.plain(cancel)?;
        self.plain.push(answered.took.as_nanos() as f64);
        Ok(())
    }

    /// Fails if the profiler's own result cannot be read.
    pub(crate) fn finish(mut self, options: &Options, ended: Ended) -> Result<Measured, Failure> {
        let elapsed = self.begun.elapsed();
        self.profiler.finish(&mut self.profile)?;
        let mut notes = self.notes;
        notes.extend(self.profiler.notes());
        notes.extend(self.missing.notes(&self.profile, &notes));
        let (plain_ns, profiled_ns) = (interval(&self.plain), interval(&self.profiled));
        let setup = ProfileSetup {
            url: self.title,
            group: self.group,
            answer: Some(self.answer),
            how: self.how,
            elapsed_ns: nanos(elapsed),
            ended: ended.into_str().to_owned(),
            plain_ns,
            profiled_ns,
            overhead: ProfileSetup::overhead_of(plain_ns, profiled_ns),
        };
        let of_cpu = options.of_cpu || self.profile.about.unit == Unit::CpuNanoseconds;
        let (profile, request) = (self.profile, self.request);
        Ok(Measured { setup, profile, request, notes, of_cpu, fresh: options.fresh })
    }
}

fn choose(
    page: &Page,
    options: &Options,
    cancel: &Cancel,
    progress: &Progress,
    notes: &mut Vec<String>,
) -> Result<(Box<dyn Profiler>, Option<Application>), Failure> {
    let perf = || -> Result<Box<dyn Profiler>, Failure> {
        progress.say("starting the kernel's clock");
        Ok(Box::new(PerfClock::open(page.driver.clone(), PerfClockOptions { frequency: FREQUENCY })?))
    };
    if options.which == Some(Which::Perf) {
        return Ok((perf()?, None));
    }
    if options.which == Some(Which::Prepended) {
        progress.say("asking PHP which file it runs before its scripts");
        let timeout = page.driver.timeout.saturating_mul(SLOWER);
        let profiler = Prepended::open(page.driver.clone(), excimer_options(options, timeout), cancel)?;
        let application = profiler.application().cloned();
        return Ok((Box::new(profiler), application));
    }
    progress.say("watching what the web server forwards, and where to");
    let captured = match capture_request(&page.driver, cancel) {
        Ok(captured) => captured,
        // We forward only FastCGI: for anything else, machine code is what can be seen.
        Err(error @ ProfilerError::NotFound(_)) if options.which.is_none() => {
            notes.push(format!("{error}; showing native and kernel frames by the kernel's clock instead"));
            return Ok((perf()?, None));
        }
        Err(error) => return Err(error.into()),
    };
    let application = captured.application.clone();
    let timeout = page.driver.timeout.saturating_mul(SLOWER);
    let which = options.which.or(match application.kind {
        Kind::PhpFpm => Some(Which::Excimer),
        Kind::Perl => Some(Which::NytProf),
        _ => None,
    });
    let opened = match which {
        Some(Which::Excimer) => {
            Excimer::open(captured, excimer_options(options, timeout)).map(|one| Box::new(one) as Box<dyn Profiler>)
        }
        Some(Which::NytProf) => {
            let options = NytProfOptions { fresh: options.fresh, opcodes: true, timeout };
            NytProf::open(captured, options).map(|one| Box::new(one) as Box<dyn Profiler>)
        }
        Some(Which::Perf | Which::Prepended) | None => {
            let exe = application.exe.display();
            notes.push(format!(
                "there is no profiler here for {exe}: showing native and kernel frames by the kernel's \
                clock"
            ));
            return Ok((perf()?, Some(application)));
        }
    };
    match opened {
        Ok(profiler) => Ok((profiler, Some(application))),
        Err(error @ ProfilerError::Missing { .. }) if options.which.is_none() => {
            notes.push(format!("{error}; until then, showing native and kernel frames by the kernel's clock"));
            Ok((perf()?, Some(application)))
        }
        Err(error) => Err(error.into()),
    }
}

fn excimer_options(options: &Options, timeout: Duration) -> ExcimerOptions {
    let clock = if options.of_cpu { Clock::Cpu } else { Clock::Wall };
    ExcimerOptions { period: options.period, clock, timeout }
}

fn how(profiler: &str, options: &Options) -> String {
    match profiler {
        "excimer" => {
            let of = if options.of_cpu { "CPU time" } else { "time" };
            format!("Excimer, a sample every {} of {of}", time(options.period))
        }
        "nytprof" if options.fresh => "Devel::NYTProf, every call, first requests of fresh processes".to_owned(),
        "nytprof" => "Devel::NYTProf, every call".to_owned(),
        _ => format!("the kernel's clock, {FREQUENCY} samples a second of CPU time"),
    }
}

/// As in `1 ms`.
fn time(time: Duration) -> String {
    if time.subsec_nanos().is_multiple_of(1_000_000) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{} µs", time.as_micros())
    }
}

/// The group of a process, or of its first child, since a master does not answer itself.
fn group_of(application: &Application) -> Result<String, Failure> {
    let mut instrument = Instrument::open(GroupBy::Auto)?;
    instrument.read()?;
    let pid = i32::try_from(application.pid).unwrap_or(0);
    let members =
        || instrument.groups().flat_map(|(id, group)| instrument.members(id).map(move |member| (member, group)));
    let found =
        members().find(|(member, _)| member.parent == pid).or_else(|| members().find(|(member, _)| member.pid == pid));
    let by_exe = || application.exe.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(found.map_or_else(by_exe, |(_, group)| group.name.clone()))
}

/// A time with its 95 % interval; without an upper end with too few values.
fn interval(times: &[f64]) -> OpenNs {
    let ns = |value: f64| value.round() as u64;
    match ratio(times, &vec![1.0; times.len()]) {
        Ok(time) => OpenNs { value: ns(time.value), low: Some(ns(time.low)), high: Some(ns(time.high)) },
        Err(_) => {
            let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
            OpenNs { value: ns(mean), low: Some(0), high: None }
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Missing {
    groups: Vec<String>,
    /// What is unknown of the path, and who cannot be observed.
    notes: Vec<String>,
}

impl Missing {
    /// Sends a few requests and observes who takes them. Fails if the system's processes cannot be read.
    pub(super) fn follow(driver: &DriverConfig, cancel: &Cancel) -> Result<Self, ProbeError> {
        let unknown =
            |why: &str| format!("the request's path is not known, so missing processes are not listed: {why}");
        let route = match follow(driver, 0, cancel) {
            Ok(route) => route,
            Err(error) => return Ok(Self { notes: vec![unknown(&error.to_string())], ..Self::default() }),
        };
        let mut instrument = Instrument::open(GroupBy::Auto)?;
        let path = Path::of(route, &mut instrument);
        let beyond = path.seen.beyond.iter();
        let mut notes: Vec<String> = beyond
            .map(|beyond| {
                format!("{} is on the request's path, but cannot be examined: {}", beyond.peer, beyond.why.as_str())
            })
            .collect();
        notes.extend(path.seen.unknown.map(|path| unknown(&path.why)));
        Ok(Self { groups: path.groups.iter().map(|group| instrument.group(*group).name.clone()).collect(), notes })
    }

    /// Notes for the profile, without those it already has (`said`).
    pub(super) fn notes(self, profile: &Profile, said: &[String]) -> Vec<String> {
        let is_in =
            |name: &str| profile.frames.iter().any(|(_, frame)| frame.kind == FrameKind::Group && frame.name == name);
        let is_told = |name: &str| said.iter().any(|note| note.starts_with(&format!("{name} is left out")));
        let missing = self.groups.iter().filter(|name| !is_in(name) && !is_told(name));
        let missing = missing.map(|name| {
            format!(
                "{name} is on the request's path, but not in this profile: it did not run more often with requests \
                 than without; send more requests"
            )
        });
        missing.chain(self.notes).collect()
    }
}

pub(crate) struct Page {
    /// Its URL, or the name of the arm in which it is requested.
    pub(crate) title: String,
    /// One request, and how it is sent.
    pub(crate) driver: DriverConfig,
}

#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// `None`: the one for what answers.
    pub(crate) which: Option<Which>,
    pub(crate) period: Duration,
    /// Whether only CPU time counts, not waiting.
    pub(crate) of_cpu: bool,
    /// Whether each request is the first of a fresh process.
    pub(crate) fresh: bool,
    pub(crate) budget: Budget,
    /// Seeds the order of requests.
    pub(crate) seed: u64,
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Budget {
    /// Requests of each page.
    Requests(u64),
    /// Total time.
    Time(Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// PHP's.
    Excimer,
    /// Excimer, in a PHP that runs our file before each script.
    Prepended,
    /// Perl's.
    NytProf,
    /// The kernel's clock.
    Perf,
}

#[cfg(test)]
mod tests;
