//! The principal type is [`Nodes`]: those of a fleet, each on a thread of its own, as `unladen serve` has it.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use unladen_fleet::{BusSettings, BusUrl, Fleet, FleetSettings, Forget, News, Record, Wait, What, WhenCutOff, open};

use crate::Result;

/// Far above what anything takes.
const PATIENCE: Duration = Duration::from_secs(30);
/// Records that the engine keeps.
const KEEP: u64 = 100_000;

/// Those of a fleet.
pub(super) struct Nodes {
    fleets: Vec<Arc<Fleet>>,
    threads: Vec<(oneshot::Sender<()>, JoinHandle<()>)>,
    asker: Runtime,
}

/// It keeps nothing, and so forgets at once.
#[derive(Debug)]
struct Nothing;

impl Forget for Nothing {
    fn forget(&self, _: Option<&str>, _: &What, _: bool) -> u64 {
        0
    }

    fn doubt(&self) {}

    fn tell(&self, _: &News) {}
}

impl Nodes {
    /// So many; returns when each is known to all.
    pub(super) fn start(url: &str, count: usize, lease: Duration) -> Result<Self> {
        let mut nodes = Self { fleets: Vec::new(), threads: Vec::new(), asker: runtime()? };
        for number in 0..count {
            let settings = FleetSettings {
                bus: bus(url, &format!("node-{number}"))?,
                lease,
                when_cut_off: WhenCutOff::Revalidate,
                wait: Wait::All,
                wait_for: PATIENCE,
            };
            let fleet = Fleet::new(settings)?;
            let (end, ended) = oneshot::channel::<()>();
            let (own, runtime) = (fleet.clone(), runtime()?);
            let thread = thread::spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = own.clone().run(Arc::new(Nothing)) => {}
                        _ = ended => {}
                    }
                    own.leave().await;
                });
            });
            nodes.fleets.push(fleet);
            nodes.threads.push((end, thread));
        }
        // Nobody says that all have confirmed before it knows the list to be whole, and a first purge may open a connection.
        let begun = Instant::now();
        for number in 0..count {
            while nodes.confirmed_by(number)? < count {
                if begun.elapsed() > PATIENCE {
                    return Err(format!("its {count} nodes do not come together").into());
                }
            }
        }
        Ok(nodes)
    }

    /// How long a purge of one of them, of this number, took until all had confirmed it.
    pub(super) fn purge(&self, number: usize) -> Result<Duration> {
        let begun = Instant::now();
        match self.confirmed_by(number)? {
            count if count == self.fleets.len() => Ok(begun.elapsed()),
            count => Err(format!("{count} of {} nodes have confirmed it", self.fleets.len()).into()),
        }
    }

    fn confirmed_by(&self, number: usize) -> Result<usize> {
        let fleet = &self.fleets[number % self.fleets.len()];
        let outcome = self.asker.block_on(fleet.purge(Some("shop"), what(number), false, Some(Wait::All)));
        if !outcome.is_confirmed {
            return Err(outcome.why.unwrap_or_else(|| "it is not confirmed".to_owned()).into());
        }
        Ok(outcome.nodes.iter().filter(|node| node.confirmed_after.is_some()).count())
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for (end, thread) in self.threads.drain(..) {
            drop(end);
            // A panic there has been told.
            let _ = thread.join();
        }
    }
}

/// Records a second that an engine takes of one node, so many at once.
pub(super) fn publish(url: &str, at_once: usize, time: Duration) -> Result<f64> {
    let bus = open(&bus(url, "writer")?)?;
    let records: Vec<String> = (0..at_once as u64)
        .map(|number| {
            let (node, site) = ("writer".to_owned(), Some("shop".to_owned()));
            Record { node, number, site, what: what(0), is_soft: false }.write()
        })
        .collect();
    runtime()?.block_on(async {
        bus.publish(&records).await?;
        let (begun, mut written) = (Instant::now(), 0);
        while begun.elapsed() < time {
            written += bus.publish(&records).await?.len();
        }
        Ok(written as f64 / begun.elapsed().as_secs_f64())
    })
}

/// As long as a URL is.
pub(super) fn what(number: usize) -> What {
    What::Tag(format!("page-{number:07}-of-a-shop-with-many-pages"))
}

pub(super) fn bus(url: &str, node: &str) -> Result<BusSettings> {
    let (fleet, node) = ("bench".to_owned(), BusSettings::unique_node(node));
    Ok(BusSettings { url: BusUrl::parse(url)?, ca: None, fleet, node, keep: KEEP })
}

pub(super) fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// Some milliseconds.
pub(super) fn pause(milliseconds: std::ops::Range<u64>) {
    thread::sleep(Duration::from_millis(fastrand::u64(milliseconds)));
}
