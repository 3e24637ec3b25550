//! The principal type is [`Driver`]: a client on its own thread, told in phases what to send.
//!
//! The calling thread reads counters while the driver is idle, and waits while it runs. Connections stay open between
//! phases, so that an off phase is silent and an on phase costs what the requests cost.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::answers::Answers;
use crate::cancel::Cancel;
use crate::client::{Client, KEPT};
use crate::config::{DriverConfig, check_concurrency};
use crate::error::LoadError;
use crate::http_version::HttpVersion;
use crate::inquiry;
use crate::load::{BATCHES, Batches, LoadEnd, Running};
use crate::mix::Mix;
use crate::open_files;
use crate::origin::Origins;
use crate::run::{LoadPlan, run};
use crate::sample::Sample;
use crate::schedule::{Arrivals, Schedule, Stop};
use crate::tally::{RunError, Tally};
use crate::target::Target;
use crate::wire::Counts;

/// Delay of a schedule's start, so that its threads are running by then.
const HEAD_START: Duration = Duration::from_millis(2);

/// A client on its own thread, which ends when the driver is dropped.
///
/// See the [crate's example](crate).
#[derive(Debug)]
pub struct Driver {
    commands: Option<UnboundedSender<Command>>,
    thread: Option<JoinHandle<()>>,
    targets: Vec<Target>,
    concurrency: usize,
    rate: Option<f64>,
    strangers: Arc<AtomicU64>,
    /// HTTP/1: each concurrent request takes a connection.
    takes_connections: bool,
}

/// Something that the thread does with its client.
type Command = Box<dyn FnOnce(Rc<Client>) -> Pin<Box<dyn Future<Output = ()>>> + Send>;

// === impl Driver ===

impl Driver {
    /// Resolves all names, loads certificates if a URL is https, and starts the thread. Nothing is sent yet. Fails when
    /// a setting is out of bounds, a name does not resolve, certificates cannot be read, or no thread starts.
    pub fn start(config: DriverConfig) -> Result<Self, LoadError> {
        config.check()?;
        let (concurrency, rate) = (config.concurrency, config.rate);
        // Over TLS the server chooses the version, unless it is configured.
        let is_plain = config.requests.iter().all(|request| request.url().scheme() == "http");
        let takes_connections = match config.http {
            HttpVersion::Http1 => true,
            HttpVersion::Auto => is_plain,
            HttpVersion::Http2 => false,
        };
        if takes_connections {
            open_files::suffice(concurrency)?;
        }
        let counts = Counts::default();
        let origins = Origins::resolve(&config, &counts.meter)?;
        let targets = origins.targets();
        let client = Client::new(config, origins, counts);
        let strangers = client.counts.strangers.clone();
        let (commands, mut received) = unbounded_channel::<Command>();
        let (started, is_started) = sync_channel(1);
        let thread = thread::Builder::new()
            .name("unladen-load".into())
            .spawn(move || {
                let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
                match runtime {
                    Ok(runtime) => {
                        let _ = started.send(Ok(()));
                        runtime.block_on(async {
                            let client = Rc::new(client);
                            while let Some(command) = received.recv().await {
                                command(client.clone()).await;
                            }
                        });
                    }
                    Err(source) => {
                        let _ = started.send(Err(LoadError::Thread { source }));
                    }
                }
            })
            .map_err(|source| LoadError::Thread { source })?;
        is_started.recv().map_err(|_| LoadError::Gone)??;
        Ok(Self {
            commands: Some(commands),
            thread: Some(thread),
            targets,
            concurrency,
            rate,
            strangers,
            takes_connections,
        })
    }

    /// Target of the request at this index.
    pub fn target(&self, index: usize) -> Option<&Target> {
        self.targets.get(index)
    }

    /// Number of answers since the start that set cookies to a request without any: users new to the application, for
    /// whom it may have made a session.
    pub fn strangers(&self) -> u64 {
        self.strangers.load(Ordering::Relaxed)
    }

    /// Sends the request at this index once, and returns its response as far as it can be shown.
    ///
    /// The first answer to a request, here or in a run, is the reference for later ones. Takes at most the configured
    /// timeout. Fails when the request does or its status is not expected; [`LoadError::Cancelled`] when cancelled.
    pub fn sample(&mut self, index: usize, cancel: &Cancel) -> Result<Sample, LoadError> {
        self.fetch(index, KEPT, cancel)
    }

    /// Like [`sample`](Self::sample), with the first `keep` bytes of the body. Fails as `sample` does.
    pub fn fetch(&mut self, index: usize, keep: usize, cancel: &Cancel) -> Result<Sample, LoadError> {
        self.known(index)?;
        let cancel = cancel.clone();
        let sample = self.tell(move |client| async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(LoadError::Cancelled),
                done = client.exchange(index, Instant::now(), keep) => done.map(|(sample, _)| sample),
            }
        })?;
        sample.recv().map_err(|_| LoadError::Gone)?
    }

    /// Requests the page at this index several times and in variations: with its validators, compressed, in another
    /// language, with cookies; see [`Answers`]. One request at a time; any status is accepted.
    ///
    /// `sample` is an earlier answer; for methods other than GET and HEAD nothing is sent and only it is used. Begins
    /// no request after 30 s, and ends at most a request's timeout later. Fails when the plain page cannot be had;
    /// [`LoadError::Cancelled`] when cancelled. Other failures are in [`Answers::left_out`].
    pub fn inquire(&mut self, index: usize, sample: &Sample, cancel: &Cancel) -> Result<Answers, LoadError> {
        self.known(index)?;
        let (sample, cancel) = (sample.clone(), cancel.clone());
        let answers = self.tell(move |client| async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(LoadError::Cancelled),
                answers = inquiry::inquire(&client, index, &sample) => answers,
            }
        })?;
        answers.recv().map_err(|_| LoadError::Gone)?
    }

    /// Sends the request at this index repeatedly, as configured, until `stop`; then waits for those under way.
    ///
    /// Returns at `stop` plus the configured timeout at the latest. A cancelled run returns its counts so far. The
    /// first failure stops the run at once; the error carries the counts so far.
    pub fn run(&mut self, index: usize, stop: Stop, cancel: &Cancel) -> Result<Tally, RunError> {
        let failed = |error| RunError { error, tally: Box::default() };
        self.known(index).map_err(failed)?;
        let schedule =
            self.rate.map(|rate| Schedule::steady(rate, Arrivals::Constant, 0)).transpose().map_err(failed)?;
        let plan = LoadPlan {
            schedule,
            start: Some(Instant::now()),
            stop,
            concurrency: self.concurrency,
            ..LoadPlan::new(Mix::only(index))
        };
        let cancel = cancel.clone();
        let tally = self.tell(move |client| tally(client, plan, cancel)).map_err(failed)?;
        tally.recv().map_err(|_| failed(LoadError::Gone))?
    }

    /// Sends as planned; failures are counted and do not stop it. Outcomes come while it runs.
    ///
    /// Ends at its stop plus grace plus the configured timeout at the latest. Concurrency and rate are the plan's, not
    /// the driver's. Fails when the plan names an unknown request, or a concurrency out of bounds.
    pub fn load(&mut self, plan: LoadPlan, cancel: &Cancel) -> Result<Running<'_>, LoadError> {
        self.known(plan.mix.largest())?;
        check_concurrency(plan.concurrency)?;
        if self.takes_connections {
            open_files::suffice(plan.concurrency)?;
        }
        let started = plan.start.unwrap_or_else(|| Instant::now() + HEAD_START);
        let plan = LoadPlan { start: Some(started), ..plan };
        let (outcomes, received) = sync_channel(BATCHES);
        let cancel = cancel.clone();
        let end = self.tell(move |client| async move {
            let batches = Rc::new(RefCell::new(Batches::new(outcomes)));
            let mut end = run(&client, plan, false, batches.clone(), &cancel).await;
            let first_errors = batches.borrow_mut().finish();
            // With the batches goes their sender, before the answer: so the receiver knows that there are no more.
            match end.failure.take() {
                Some(failure) => Err(failure),
                None => Ok(LoadEnd::of(&end, first_errors)),
            }
        })?;
        Ok(Running { started, outcomes: received, end, driver: PhantomData })
    }

    fn known(&self, index: usize) -> Result<(), LoadError> {
        let count = self.targets.len();
        if index < count { Ok(()) } else { Err(LoadError::NoSuchRequest { index, count }) }
    }

    /// Has the thread do this with its client, and receives what comes of it.
    fn tell<T, F>(&self, what: impl FnOnce(Rc<Client>) -> F + Send + 'static) -> Result<Receiver<T>, LoadError>
    where
        T: Send + 'static,
        F: Future<Output = T> + 'static,
    {
        let (answer, answered) = sync_channel(1);
        let command: Command = Box::new(move |client| {
            let done = what(client);
            Box::pin(async move {
                // There is no receiver only when the calling thread has panicked.
                let _ = answer.send(done.await);
            })
        });
        self.commands.as_ref().and_then(|commands| commands.send(command).ok()).ok_or(LoadError::Gone)?;
        Ok(answered)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Ends the thread, which is idle, since every command is waited for.
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // Even if it panicked, there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

async fn tally(client: Rc<Client>, plan: LoadPlan, cancel: Cancel) -> Result<Tally, RunError> {
    let tally = Rc::new(RefCell::new(Tally::default()));
    let end = run(&client, plan, true, tally.clone(), &cancel).await;
    let mut tally = tally.take();
    tally.add_end(&end);
    match end.failure {
        Some(error) => Err(RunError { error, tally: Box::new(tally) }),
        None => Ok(tally),
    }
}

#[cfg(test)]
mod tests;
