//! The principal type is [`Comparison`]: servers that are asked for the same, case by case of contestants/cases.toml.
//!
//! Each is a fresh process with one thread for requests, in every round of every case, and told the same. What a request
//! costs is read from the processes' CPU clocks; status and length of every answer are looked at.

use std::cell::RefCell;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::application::Application;
use crate::calls::{Amount, Ask, Calls, SETTLE};
use crate::certificates::Certificates;
use crate::contestant::{Contestant, Manner};
use crate::figures::{Limit, Series, print};
use crate::processes::Processes;
use crate::processors::Processors;
use crate::program::table;
use crate::running::{Listen, Ports, Running};
use crate::scratch::ScratchFolder;
use crate::{Options, Result};

/// A part of a bench that can be run by itself; its name is what `--only` takes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    bench: String,
    pub(crate) name: String,
    about: String,
    rounds: Option<usize>,
    #[serde(default)]
    trace: bool,
    load: Option<toml::Table>,
    #[serde(default)]
    loads: Vec<toml::Table>,
}

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// What all cases of a bench share.
pub(crate) struct Comparison {
    pub(crate) scratch: ScratchFolder,
    pub(crate) ports: RefCell<Ports>,
    pub(crate) certificates: Certificates,
    /// Ours first.
    pub(crate) contestants: Vec<Contestant>,
    /// What all servers are told.
    pub(crate) told: Map<String, Value>,
    /// Behind proxies and caches.
    pub(crate) application: Application,
    /// Ports of what is behind proxies: by HTTP and by TLS.
    pub(crate) upstreams: Option<[u16; 2]>,
    /// Where an answer has to come from the server itself, with a processor for what is measured.
    pub(crate) processors: Option<Processors>,
    cases: Vec<Case>,
    only: Vec<String>,
    rounds: Option<usize>,
    /// Who stands behind all.
    pub(crate) services: Vec<Running>,
}

/// One that runs.
pub(crate) struct Standing {
    pub(crate) name: String,
    pub(crate) listen: Listen,
    pub(crate) running: Running,
}

/// What requests took.
pub(crate) struct Took {
    pub(crate) requests: f64,
    megabytes: f64,
    pub(crate) cpu_us: f64,
    /// Of the others' that were named.
    pub(crate) others_us: f64,
    pub(crate) rate: f64,
    peak_mib: f64,
}

impl Case {
    fn asks(&self) -> Result<Vec<Ask>> {
        let Some(all) = &self.load else { return Ok(Vec::new()) };
        let ask = |own: toml::Table| {
            let mut ask = all.clone();
            ask.extend(own);
            ask.try_into::<Ask>().map_err(|error| format!("{}: {error}", self.name).into())
        };
        if self.loads.is_empty() {
            Ok(vec![ask(toml::Table::new())?])
        } else {
            self.loads.iter().cloned().map(ask).collect()
        }
    }
}

impl Standing {
    pub(crate) fn named(&self, error: &dyn std::error::Error) -> Box<dyn std::error::Error> {
        format!("{}: {error}", self.name).into()
    }
}

impl Comparison {
    pub(crate) fn new(bench: &str, options: &Options) -> Result<Self> {
        let mut cases = table::<Cases>("cases.toml")?.case;
        cases.retain(|case| case.bench == bench);
        if let Some(name) = options.only.iter().find(|name| cases.iter().all(|case| case.name != **name)) {
            let known: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
            return Err(format!("there is no case `{name}`: there are {}", known.join(", ")).into());
        }
        let contestants = Contestant::all(bench, &options.proxies)?;
        let scratch = ScratchFolder::new()?;
        let (certificates, application) = (Certificates::new(&scratch)?, Application::start()?);
        let mut told = Map::new();
        told.insert("ca".to_owned(), json!(certificates.ca));
        told.insert("certificate".to_owned(), json!(certificates.certificate));
        told.insert("key".to_owned(), json!(certificates.key));
        told.insert("origin".to_owned(), json!(application.port));
        Ok(Self {
            scratch,
            ports: RefCell::new(Ports::new()),
            certificates,
            contestants,
            told,
            application,
            upstreams: None,
            processors: None,
            cases,
            only: options.only.clone(),
            rounds: options.rounds,
            services: Vec::new(),
        })
    }

    /// Runs the cases that are named, or all; those without loads are this one's, and `count` counts in those that are
    /// to be traced.
    pub(crate) fn run(
        &self,
        count: impl Fn(&Self, &[Ask]) -> Result<()>,
        own: impl Fn(&Self, &str) -> Result<()>,
    ) -> Result<()> {
        for case in self.cases.iter().filter(|case| self.only.is_empty() || self.only.contains(&case.name)) {
            println!("\n{}: {}", case.name, case.about);
            match case.asks()?[..] {
                [] => own(self, &case.name)?,
                ref asks if case.trace => count(self, asks)?,
                ref asks => self.compare(case, asks)?,
            }
        }
        Ok(())
    }

    pub(crate) fn rounds_or(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(usual)
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.contestants.iter().map(|contestant| contestant.name.as_str()).collect()
    }

    /// In the order of the rounds: nobody is always first.
    pub(crate) fn turns(&self, usual: usize) -> impl Iterator<Item = usize> {
        let count = self.contestants.len();
        (0..self.rounds_or(usual)).flat_map(move |round| (0..count).map(move |turn| (turn + round) % count))
    }

    /// What a proxy is told of a listener and of where its calls go.
    pub(crate) fn route(&self, name: &str, listen: &Listen, to: &str) -> Result<Value> {
        let [plain, tls] = self.upstreams.ok_or("there is no upstream")?;
        let (scheme, upstream) = match to {
            "" => ("http", plain),
            "tls" => ("https", tls),
            "application" => ("http", self.application.port),
            other => return Err(format!("there is no upstream {other}").into()),
        };
        let mut route = json!({ "name": name, "scheme": scheme, "upstream": upstream, "verify": to == "tls" });
        let (key, place) = place(listen);
        route[key] = place;
        Ok(route)
    }

    pub(crate) fn start(&self, contestant: &Contestant, ask: &Ask) -> Result<Standing> {
        self.start_with(contestant, ask, Map::new(), false)
    }

    /// Told more.
    pub(crate) fn start_with(
        &self,
        contestant: &Contestant,
        ask: &Ask,
        more: Map<String, Value>,
        is_counted: bool,
    ) -> Result<Standing> {
        let listen = if ask.unix {
            Listen::Unix(self.scratch.path("one.sock"))
        } else {
            Listen::Tcp(self.ports.borrow_mut().free()?)
        };
        let mut told = self.told.clone();
        let (key, value) = place(&listen);
        told.insert(key.to_owned(), value);
        told.insert("tls".to_owned(), json!(ask.tls));
        if self.upstreams.is_some() {
            told.insert("routes".to_owned(), json!([self.route("one", &listen, &ask.to)?]));
        }
        told.extend(more);
        let manner = Manner { processor: self.processors.as_ref().map(|processors| processors.theirs), is_counted };
        let listens = std::slice::from_ref(&listen);
        let running = contestant.start(&self.scratch, &Value::Object(told), listens, manner)?;
        Ok(Standing { name: contestant.name.clone(), listen, running })
    }

    pub(crate) fn calls(&self, standing: &Standing, ask: &Ask) -> Result<Calls> {
        Calls::to(&standing.listen, ask.tls.then_some(&*self.certificates.ca), ask)
    }

    /// Asks until it is stored: those that take it in behind the answer have time to.
    pub(crate) fn fill(&self, standing: &Standing, ask: &Ask) -> Result<()> {
        if self.processors.is_some() {
            let plain = Ask { field: None, connections: 1, ..ask.clone() };
            // A page is as long as its path says.
            let length = ask.path.split('/').nth(1).and_then(|length| length.parse().ok()).unwrap_or(ask.length);
            let mut calls = self.calls(standing, &Ask { length, ..plain })?;
            for _ in 0..2 {
                calls.call(Amount::Requests(1)).map_err(|error| standing.named(&*error))?;
                std::thread::sleep(SETTLE);
            }
        }
        Ok(())
    }

    /// What these calls cost; an answer that is not from the cache, where there is one, is an error.
    pub(crate) fn measure(
        &self,
        standing: &Standing,
        calls: &mut Calls,
        ask: &Ask,
        others: &dyn Fn() -> Processes,
    ) -> Result<Took> {
        let mut call = |amount| calls.call(amount).map_err(|error| standing.named(&*error));
        call(ask.warm_up())?;
        std::thread::sleep(SETTLE);
        let asked = self.application.requests()?;
        // Threads and processes that came with the load are there now.
        let (processes, others) = (standing.running.processes(), others());
        processes.forget_peak()?;
        let before = [processes.cpu()?, others.cpu()?];
        let called = call(ask.amount())?;
        std::thread::sleep(SETTLE);
        let us = |processes: &Processes, before: Duration| -> Result<f64> {
            Ok(processes.cpu()?.saturating_sub(before).as_secs_f64() * 1e6)
        };
        let (cpu_us, others_us) = (us(&processes, before[0])?, us(&others, before[1])?);
        self.is_from_memory(standing, asked)?;
        Ok(Took {
            requests: called.requests(),
            megabytes: called.megabytes(),
            cpu_us,
            others_us,
            rate: called.rate(),
            peak_mib: processes.peak_mib()?,
        })
    }

    /// Whether the application has not been asked since, where there is a cache.
    pub(crate) fn is_from_memory(&self, standing: &Standing, asked: u64) -> Result<()> {
        match self.application.requests()? - asked {
            more if more > 0 && self.processors.is_some() => {
                Err(format!("{}: {more} answers were the application's", standing.name).into())
            }
            _ => Ok(()),
        }
    }

    fn compare(&self, case: &Case, asks: &[Ask]) -> Result<()> {
        let mut peaks_before = Vec::new();
        for ask in asks {
            let none = || vec![Series::default(); self.contestants.len()];
            let (mut cpu_us, mut rate, mut peak) = (none(), none(), none());
            for index in self.turns(case.rounds.unwrap_or(5)) {
                let contestant = &self.contestants[index];
                if ask.tls && !contestant.speaks_tls() {
                    continue;
                }
                let standing = self.start(contestant, ask)?;
                self.fill(&standing, ask)?;
                let mut calls = self.calls(&standing, ask)?;
                let took = self.measure(&standing, &mut calls, ask, &Processes::default)?;
                cpu_us[index].push(took.cpu_us / if ask.of_megabyte { took.megabytes } else { took.requests });
                rate[index].push(took.rate);
                peak[index].push(took.peak_mib);
            }
            if !ask.what.is_empty() {
                println!("\n  {}", ask.what);
            }
            let of = if ask.of_megabyte { "CPU µs a MB" } else { "CPU µs a request" };
            self.show(of, &cpu_us, &[("requests/s", &rate), ("peak MiB", &peak)]);
            self.judge(if ask.of_megabyte { "CPU of a byte" } else { "CPU of a request" }, &cpu_us, ask);
            if let Some(flat) = ask.flat {
                let grown: Vec<Series> = peak.iter().zip(&peaks_before).map(|(now, before)| now.over(before)).collect();
                self.judge_values("peak memory over that of the smaller bodies", &grown, flat);
            }
            peaks_before = peak;
        }
        Ok(())
    }

    /// Prints what each costs, what that is over each of the others', and more; those without a figure are left out.
    pub(crate) fn show(&self, of: &str, figures: &[Series], more: &[(&str, &[Series])]) {
        let all = 0..self.contestants.len();
        let is_one_of_several =
            |index: &usize| self.contestants[*index].is_ours() && self.contestants[0].name.contains('/');
        let others = all.clone().filter(|index| !self.contestants[*index].is_ours() || is_one_of_several(index));
        let others: Vec<usize> = others.filter(|index| !figures[*index].is_empty()).collect();
        let over = others.iter().map(|other| format!("over {}", self.contestants[*other].name));
        let mut head = vec![String::new(), of.to_owned()];
        head.extend(over);
        head.extend(more.iter().map(|(name, _)| (*name).to_owned()));
        let row = |index: usize| {
            let mut row = vec![self.contestants[index].name.clone(), figures[index].to_string()];
            row.extend(others.iter().map(|other| figures[index].over(&figures[*other]).to_string()));
            row.extend(more.iter().map(|(_, series)| series[index].to_string()));
            row
        };
        let rows: Vec<_> = all.filter(|index| !figures[*index].is_empty()).map(row).collect();
        print(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    }

    /// Prints what ours are to the others, and whether the bounds hold; a bench reports, it does not fail.
    pub(crate) fn judge(&self, what: &str, figures: &[Series], ask: &Ask) {
        let names = self.names();
        for (ours, own) in self.contestants.iter().zip(figures).filter(|(contestant, _)| contestant.is_bounded()) {
            for (against, most) in &ask.most {
                if let Some(at) = names.iter().position(|name| name == against) {
                    Limit::Most(*most).judge(&format!("{what}, {} / {against}", ours.name), &own.over(&figures[at]));
                }
            }
        }
    }

    /// Prints whether each of ours is at most so much.
    pub(crate) fn judge_values(&self, what: &str, figures: &[Series], most: f64) {
        for (ours, own) in self.contestants.iter().zip(figures).filter(|(contestant, _)| contestant.is_bounded()) {
            Limit::Most(most).judge(&format!("{what}, {}", ours.name), own);
        }
    }
}

/// A listener, as templates name it.
pub(crate) fn place(listen: &Listen) -> (&'static str, Value) {
    match listen {
        Listen::Tcp(port) => ("port", json!(port)),
        Listen::Unix(path) => ("unix", json!(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_load_of_the_table_is_understood() {
        let cases = table::<Cases>("cases.toml").unwrap().case;
        for case in &cases {
            for ask in case.asks().unwrap() {
                assert!(ask.connections > 0 && ask.path.starts_with('/'), "{}: {ask:?}", case.name);
            }
        }
        assert!(cases.iter().any(|case| case.trace) && cases.len() > 15);
    }
}
