//! The principal type is [`Trail`]: marked requests, and the processes watched while they are answered.

use std::collections::HashMap;

use unladen_load::{Cancel, Driver, DriverConfig, Header, Sample, Target};
use unladen_probe::{Tracer, TracerConfig, Watched, monotonic_ns};
use unladen_trace::Event;

use crate::listener::{Family, listeners};
use crate::route::{Address, PathError};

/// Processes watched at once; the kernel's map has room for more.
const MOST_WATCHED: usize = 4000;

/// Sends marked requests one by one, and sees what those do who may take them.
///
/// Watching all processes would include everything else on a busy machine: only listeners at the request's target are
/// watched, with their descendants, and by [`widen`](Self::widen) those to whom it is passed on.
pub struct Trail {
    driver: Driver,
    url: String,
    target: Option<Target>,
    mark: String,
    tracer: Tracer,
    family: Family,
    watched: Vec<Watched>,
    /// Listeners by address, with their descendants; `None` if nobody on this machine listens.
    places: HashMap<Address, Option<Vec<u32>>>,
}

/// Observations of one request.
#[derive(Debug)]
pub struct Seen {
    pub sample: Sample,
    pub events: Vec<Event>,
    pub lost: u64,
}

impl Trail {
    /// Marks the request of this index, and begins to watch the listeners at its target.
    ///
    /// The mark is a header of random name and value, before all others, since only the beginning of a send is seen.
    ///
    /// Fails if the request is not served on this machine, or the driver or tracing cannot start.
    pub fn open(driver: &DriverConfig, index: usize) -> Result<Self, PathError> {
        let Some(request) = driver.requests.get(index) else {
            return Err(PathError::Mark("there is none".to_owned()));
        };
        let mark: String = std::iter::repeat_with(fastrand::alphanumeric).take(32).collect();
        let name: String = std::iter::repeat_with(fastrand::lowercase).take(12).collect();
        let header: Header = format!("X-Request-Mark-{name}: {mark}")
            .parse()
            .map_err(|error: unladen_load::HeaderError| PathError::Mark(format!("the header is refused: {error}")))?;
        let url = request.url().as_str().to_owned();
        let marked = DriverConfig {
            requests: vec![request.clone().with_header_first(&header)],
            concurrency: 1,
            rate: None,
            ..driver.clone()
        };
        let driver = Driver::start(marked)?;
        let target = driver.target(0).cloned();
        if target.as_ref().is_some_and(|target| !target.is_local()) {
            return Err(PathError::Remote { url });
        }
        let mut trail = Self {
            driver,
            url,
            mark,
            tracer: Tracer::open(&TracerConfig::default())?,
            family: Family::now(),
            watched: Vec::new(),
            places: HashMap::new(),
            target,
        };
        let goes_to: Vec<Address> = trail.target().collect();
        trail.widen(goes_to)?;
        Ok(trail)
    }

    /// The mark in the requests.
    pub fn mark(&self) -> &[u8] {
        self.mark.as_bytes()
    }

    /// The request's URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where the requests go.
    pub fn target(&self) -> impl Iterator<Item = Address> + use<> {
        let target = self.target.clone();
        let unix = target.as_ref().and_then(|target| target.unix_path()).map(|path| Address::Unix(path.to_owned()));
        let ports: Vec<Address> =
            target.iter().flat_map(|target| target.addresses()).map(|one| Address::Tcp(*one)).collect();
        unix.into_iter().chain(ports)
    }

    /// Listeners at an address that was widened to, with their descendants; `None` if nobody on this machine listens.
    pub fn at(&self, address: &Address) -> Option<&[u32]> {
        self.places.get(address)?.as_deref()
    }

    /// Also watches the listeners there; returns whether any is new. Fails if processes cannot be listed.
    pub fn widen(&mut self, addresses: impl IntoIterator<Item = Address>) -> Result<bool, PathError> {
        let before = self.watched.len();
        for address in addresses {
            if self.places.contains_key(&address) {
                continue;
            }
            let found = listeners(&address)?;
            let found = found.map(|found| {
                let mut all = self.family.with_descendants(&found, MOST_WATCHED);
                // This process's children, such as the client of a test, do not answer it.
                all.retain(|pid| *pid != std::process::id());
                all
            });
            for pid in found.iter().flatten() {
                if self.watched.len() < MOST_WATCHED && self.watched.iter().all(|known| known.pid != *pid) {
                    self.watched.push(Watched { pid: *pid, group: 0, children: 0, own: true });
                }
            }
            self.places.insert(address, found);
        }
        Ok(self.watched.len() > before)
    }

    /// Sends one request. Fails if it is not answered as expected, or the events cannot be read.
    pub fn send(&mut self, cancel: &Cancel) -> Result<Seen, PathError> {
        self.tracer.watch(&self.watched)?;
        self.tracer.take()?;
        let begun = monotonic_ns();
        let sample = self.driver.sample(0, cancel)?;
        let ended = monotonic_ns();
        let batch = self.tracer.take()?;
        let mut events = batch.events;
        events.retain(|event| (begun..=ended).contains(&event.at_ns));
        Ok(Seen { sample, events, lost: batch.lost })
    }
}
