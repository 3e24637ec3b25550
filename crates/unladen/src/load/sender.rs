//! The principal type is [`Sender`]: sends a load, from this host or several others.

use unladen_agent::memory_note;
use unladen_document::Answer;
use unladen_load::{Cancel, Driver, LoadPlan};
use unladen_report::Warning;

use crate::answered::looked_at;
use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::hosts::Hosts;
use crate::load::options::{Options, Pace};
use crate::load::recorder::Recorder;
use crate::load::trial::{Sent, Watch, send, send_from};
use crate::progress::Progress;
use crate::say::say;
use crate::strangers::{strangers, strangers_warning};

/// Most requests tried once before the load, so that a mistake is one error and not ten thousand.
const TRIED: usize = 20;

pub(crate) enum Sender {
    Here(Box<Driver>),
    Hosts(Hosts),
}

pub(crate) struct Tried {
    pub(crate) http: String,
    /// Their answers; empty if other hosts sent them.
    pub(crate) answers: Vec<Answer>,
}

impl Sender {
    /// Fails if a client does not start, or a host cannot be reached.
    pub(crate) fn start(options: &Options, cancel: &Cancel, progress: &Progress) -> Result<Self, Failure> {
        if options.hosts.is_empty() {
            return Ok(Self::Here(Box::new(Driver::start(options.driver.clone())?)));
        }
        // For a load at a rate, most stay far below this bound.
        let each = options.concurrency.div_ceil(options.hosts.len());
        if let (Pace::Closed, false, Some(note)) = (&options.pace, options.quiet, memory_note(each)) {
            say!("unladen: {note}");
        }
        progress.say("starting the agents");
        Hosts::start(&options.hosts, &options.sessions, &options.driver, cancel).map(Self::Hosts)
    }

    /// Sends the first requests once, from everywhere. Fails if an answer is unexpected.
    pub(crate) fn try_requests(&mut self, options: &Options, cancel: &Cancel) -> Result<Tried, Failure> {
        let count = options.driver.requests.len().min(TRIED);
        let mut tried = Tried { http: String::new(), answers: Vec::new() };
        for index in 0..count {
            tried.http = match self {
                Self::Here(driver) => {
                    let (sample, answer) = looked_at(driver, &options.driver, index, cancel)?;
                    tried.answers.push(answer);
                    format!("{:?}", sample.version)
                }
                Self::Hosts(hosts) => hosts.sample(index, cancel)?.0,
            };
        }
        Ok(tried)
    }

    /// Sends as planned and keeps the account; `watch` is called several times a second. Fails if no sender can go on,
    /// or the records cannot be written.
    pub(crate) fn send(
        &mut self,
        plan: LoadPlan,
        account: Account,
        cancel: &Cancel,
        recorder: Option<&mut Recorder>,
        watch: Watch<'_>,
    ) -> Result<Sent, Failure> {
        match self {
            Self::Here(driver) => send(driver, plan, account, cancel, recorder, watch),
            Self::Hosts(hosts) => send_from(hosts, &plan, account, cancel, recorder, watch),
        }
    }

    /// The warning about users the application has met for the first time.
    pub(crate) fn strangers(&self) -> Option<Warning> {
        match self {
            Self::Here(driver) => strangers(driver),
            Self::Hosts(hosts) => strangers_warning(hosts.strangers()),
        }
    }
}
