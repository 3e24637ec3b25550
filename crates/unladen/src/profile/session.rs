//! The principal type is [`Session`]: a page under its profiler.

use std::time::{Duration, Instant};

use unladen_document::Answer;
use unladen_load::{Cancel, Driver};
use unladen_lockin::ratio;
use unladen_probe::{GroupBy, Instrument};
use unladen_profile::{About, MIN_REQUESTS, Profile, Unit};
use unladen_profiler::{
    Application, Captured, Clock, Excimer, ExcimerOptions, Kind, NytProf, NytProfOptions, PerfClock, PerfClockOptions,
    Prepended, Profiler, ProfilerError, capture_request,
};
use unladen_report::{Ended, ProfileSetup};
use unladen_trace::Carried;

use crate::answered::compared_with_a_browsers;
use crate::carried::{Secrets, carried};
use crate::exit::Failure;
use crate::profile::missing::Missing;
use crate::profile::options::{Options, Page, Which};
use crate::progress::Progress;

/// Requests sent before anything is kept: caches are then full, and the slowest worker has begun.
const WARM_UP: usize = 3;
/// One request in so many is sent without the profiler, so that it is known what that adds.
const PLAIN_EVERY: usize = 4;
/// Samples a second of the kernel's clock: no divisor of its ticks, so that what runs in step with those is seen.
const FREQUENCY: u64 = 997;
/// A profiler makes a request some times slower, and the time-out is for requests without.
const SLOWER: u32 = 10;

/// A page under its profiler.
pub(crate) struct Session {
    title: String,
    profiler: Box<dyn Profiler>,
    profile: Profile,
    /// The method of its request, and what that carries, as far as it may be shown.
    request: (String, Carried),
    group: String,
    /// What came.
    answer: Answer,
    how: String,
    notes: Vec<String>,
    missing: Missing,
    plain: Vec<f64>,
    profiled: Vec<f64>,
    begun: Instant,
    rng: fastrand::Rng,
}

/// What came of it.
pub(crate) struct Measured {
    pub(crate) setup: ProfileSetup,
    pub(crate) profile: Profile,
    pub(crate) request: (String, Carried),
    pub(crate) notes: Vec<String>,
    /// Whether CPU time counts, and waiting does not.
    pub(crate) of_cpu: bool,
    pub(crate) fresh: bool,
}

impl Session {
    /// Finds what answers, and its profiler; sends some requests that are not kept.
    ///
    /// # Errors
    /// When it is not answered, or there is no profiler for it.
    pub(crate) fn open(page: Page, options: &Options, cancel: &Cancel, progress: &Progress) -> Result<Self, Failure> {
        let title = page.title.clone();
        let mut notes = Vec::new();
        let (profiler, application) = choose(&page, options, cancel, progress, &mut notes)?;
        let (_, answer) = compared_with_a_browsers(&mut Driver::start(page.driver.clone())?, &page.driver, 0, cancel)?;
        // Others profile the one program that answers.
        let missing = match profiler.name() {
            "perf" => {
                progress.say("looking who the request goes through");
                Missing::follow(&page.driver, cancel)?
            }
            _ => Missing::default(),
        };
        let request = page.driver.requests.first().map_or_else(Default::default, |request| {
            (request.method().to_string(), carried(request, &page.driver, Secrets::LeftOut))
        });
        let how = how(profiler.name(), options);
        progress.say("looking who answers");
        let group =
            application.map_or_else(|| Ok("all that follows".to_owned()), |application| group_of(&application))?;
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
        // Of a fresh process no request is warm.
        if !options.fresh {
            progress.say("warming up");
            for _ in 0..WARM_UP {
                session.profiler.plain(cancel)?;
            }
        }
        session.begun = Instant::now();
        Ok(session)
    }

    /// One request more, and now and then one without the profiler.
    pub(crate) fn step(&mut self, cancel: &Cancel) -> Result<(), Failure> {
        // Enough for an interval first.
        let with_plain = self.plain.len() < MIN_REQUESTS
            || self.rng.usize(..PLAIN_EVERY) == 0
            || self.plain.len() * PLAIN_EVERY < self.profiled.len();
        // In either order, so that neither is always the one after.
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

    /// The profiler's name.
    pub(crate) fn profiler(&self) -> &'static str {
        self.profiler.name()
    }

    /// Requests profiled until now.
    pub(crate) fn requests(&self) -> usize {
        self.profiled.len()
    }

    /// Ends it.
    ///
    /// # Errors
    /// When the profiler's own result cannot be read.
    pub(crate) fn finish(mut self, options: &Options, ended: Ended) -> Result<Measured, Failure> {
        let elapsed = self.begun.elapsed();
        self.profiler.finish(&mut self.profile)?;
        let mut notes = self.notes;
        notes.extend(self.profiler.notes());
        notes.extend(self.missing.notes(&self.profile, &notes));
        let setup = ProfileSetup {
            url: self.title,
            group: self.group,
            answer: Some(self.answer),
            how: self.how,
            elapsed,
            ended,
            plain_ns: interval(&self.plain),
            profiled_ns: interval(&self.profiled),
        };
        let of_cpu = options.of_cpu || self.profile.about.unit == Unit::CpuNanoseconds;
        let (profile, request) = (self.profile, self.request);
        Ok(Measured { setup, profile, request, notes, of_cpu, fresh: options.fresh })
    }
}

/// The profiler for what answers, and what that is.
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
        progress.say("asking PHP for what it runs before its scripts");
        let timeout = page.driver.timeout.saturating_mul(SLOWER);
        let profiler = Prepended::open(page.driver.clone(), excimer_options(options, timeout), cancel)?;
        let application = profiler.application().cloned();
        return Ok((Box::new(profiler), application));
    }
    progress.say("looking what the web server hands on, and to whom");
    let captured = match capture_request(&page.driver, cancel) {
        Ok(captured) => captured,
        // Nothing but FastCGI is handed on by us: what can be seen without is its machine code.
        Err(error @ ProfilerError::NotFound(_)) if options.which.is_none() => {
            notes.push(format!("{error}; native and kernel frames by the kernel's clock instead"));
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
        Some(Which::Excimer) => excimer(captured, options, timeout),
        Some(Which::NytProf) => nytprof(captured, options, timeout),
        Some(Which::Perf | Which::Prepended) | None => {
            let exe = application.exe.display();
            notes.push(format!("there is no profiler here for {exe}: native and kernel frames by the kernel's clock"));
            return Ok((perf()?, Some(application)));
        }
    };
    match opened {
        Ok(profiler) => Ok((profiler, Some(application))),
        Err(error @ ProfilerError::Missing { .. }) if options.which.is_none() => {
            notes.push(format!("{error}; until then native and kernel frames, by the kernel's clock"));
            Ok((perf()?, Some(application)))
        }
        Err(error) => Err(error.into()),
    }
}

fn excimer(captured: Captured, options: &Options, timeout: Duration) -> Result<Box<dyn Profiler>, ProfilerError> {
    Ok(Box::new(Excimer::open(captured, excimer_options(options, timeout))?))
}

fn excimer_options(options: &Options, timeout: Duration) -> ExcimerOptions {
    let clock = if options.of_cpu { Clock::Cpu } else { Clock::Wall };
    ExcimerOptions { period: options.period, clock, timeout }
}

fn nytprof(captured: Captured, options: &Options, timeout: Duration) -> Result<Box<dyn Profiler>, ProfilerError> {
    let options = NytProfOptions { fresh: options.fresh, opcodes: true, timeout };
    Ok(Box::new(NytProf::open(captured, options)?))
}

/// In half a line.
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

/// `1 ms`
fn time(time: Duration) -> String {
    if time.subsec_nanos().is_multiple_of(1_000_000) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{} µs", time.as_micros())
    }
}

/// The name of the group that a process, or the first of its children, is in: a master does not answer itself.
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

/// A time with its 95 % interval: as wide as the line where there were too few.
fn interval(times: &[f64]) -> (f64, f64, f64) {
    match ratio(times, &vec![1.0; times.len()]) {
        Ok(estimate) => (estimate.value, estimate.low, estimate.high),
        Err(_) => {
            let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
            (mean, 0.0, f64::INFINITY)
        }
    }
}
