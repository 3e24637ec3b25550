//! The principal type is [`KnobSpec`]: a knob of an experiment, made of one [`Knob`] or more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use unladen_load::UrlLine;
use url::Url;

use crate::kinds::UrlKnob;
use crate::knob::{Knob, Reach, Wanted};
use crate::ready::Ready;

/// A knob of an experiment; table `[[knob]]` of the file.
#[derive(Clone, Debug)]
pub struct KnobSpec {
    pub name: String,
    pub initial: bool,
    pub restart: Vec<usize>,
    pub ready: Option<Ready>,
    pub settle: Duration,
    pub changes: Vec<Arc<dyn Knob>>,
    /// For off and for on, the changes given for that side, in the order of the file.
    pub(crate) order: [Vec<usize>; 2],
}

impl KnobSpec {
    pub(crate) fn of_url(url: Url) -> Self {
        Self {
            name: "candidate".to_owned(),
            initial: false,
            restart: Vec::new(),
            ready: None,
            settle: Duration::ZERO,
            changes: vec![Arc::new(UrlKnob { on: true, url })],
            order: [Vec::new(), vec![0]],
        }
    }

    pub(crate) fn url(&self, on: bool) -> Option<Url> {
        let blank = Url::parse("about:blank").ok()?;
        let mut wanted = Wanted { urls: vec![UrlLine::get(blank.clone())], headers: Vec::new() };
        self.changes.iter().for_each(|change| change.request(on, &mut wanted));
        wanted.urls.pop().map(|line| line.url).filter(|url| *url != blank)
    }

    /// Keys of its changes, each once, but twice if one side changes it twice.
    pub(crate) fn claims(&self) -> Vec<String> {
        let of = |on: bool| {
            let given = self.changes.iter().filter(move |change| change.has(on));
            given.flat_map(move |change| {
                let names = change.environment(on).into_iter().flat_map(BTreeMap::keys);
                let variables = names.flat_map(|name| {
                    self.restart.iter().map(move |service| format!("the variable {name} of service {}", service + 1))
                });
                change.claims().into_iter().chain(variables).collect::<Vec<_>>()
            })
        };
        let (mut claims, mut others): (Vec<String>, Vec<String>) = (of(true).collect(), of(false).collect());
        for claim in &claims {
            if let Some(same) = others.iter().position(|other| other == claim) {
                others.remove(same);
            }
        }
        claims.extend(others);
        claims
    }

    /// Whether its only effect on that claim is on requests, and only while it is on.
    pub(crate) fn only_asks(&self, claim: &str) -> bool {
        let mut of = self.changes.iter().filter(|change| change.claims().iter().any(|own| own == claim));
        of.all(|change| change.reach() == Reach::Request && !change.has(false))
    }

    /// The changes in the order for a switch to this side: first back from those made, the last first; then those given
    /// for it.
    pub(crate) fn steps(&self, on: bool, made: &[bool]) -> Vec<usize> {
        let back = (0..self.changes.len()).rev().filter(|index| made[*index] && !self.changes[*index].has(on));
        back.chain(self.order[usize::from(on)].iter().copied()).collect()
    }

    pub(crate) fn gives_variables_to(&self, service: usize) -> bool {
        let any = |on: bool| self.changes.iter().any(|change| change.environment(on).is_some());
        self.restart.contains(&service) && (any(true) || any(false))
    }

    /// Whether switching it does anything on the system.
    pub fn acts(&self) -> bool {
        !self.restart.is_empty() || self.changes.iter().any(|change| change.reach() != Reach::Request)
    }

    /// Its side before the first switch, if it is on one of them.
    pub(crate) fn found(&self) -> Option<bool> {
        let commands = self.changes.iter().any(|change| change.reach() == Reach::Command);
        let as_it_was =
            |on: bool| self.changes.iter().all(|change| change.reach() == Reach::Command || !change.has(on));
        match commands {
            true => Some(self.initial).filter(|on| as_it_was(*on)),
            false => [false, true].into_iter().find(|on| as_it_was(*on)),
        }
    }
}
