//! Three agents that send one load, beside one `unladen load` that sends as much as each of them: how late each is.

mod namespace;

use std::path::Path;

use serde_json::Value;

use self::namespace::Namespace;
use crate::figures::{Series, print, quantile};
use crate::program::unladen;
use crate::schedule::Schedule;
use crate::stamps::Server;
use crate::{Bench, Options, Result, children};

pub(crate) const BENCH: Bench = Bench {
    name: "agents",
    about: "send lag of three agents that send one load, one of them in a network namespace",
    run,
};

/// Of each agent, a second. Three that wait for their planned times, and the server, take two cores from some 4,000 on.
const RATES: [u64; 2] = [1_000, 3_000];
const AGENTS: u64 = 3;
const SECONDS: u64 = 10;

/// How late one of those who send was, as it says, in µs.
#[derive(Default)]
struct Lag {
    p50: Series,
    p99: Series,
    max: Series,
}

/// What was seen of one rate.
#[derive(Default)]
struct Seen {
    alone: Lag,
    /// In the order of the agents.
    agents: [Lag; AGENTS as usize],
    /// How late requests arrived, against the one schedule of all: of the one alone, and of all agents; p50 and p99, µs.
    alone_arrived: [Series; 2],
    agents_arrived: [Series; 2],
    /// Of the planned requests, those that are in the result of the agents, in %.
    told: Series,
    /// CPU of all agents, µs a request.
    cpu: Series,
    /// Rounds in which the result was fit.
    fit: usize,
}

fn run(options: &Options) -> Result<()> {
    let program = unladen()?;
    let namespace = Namespace::new()?;
    for rate in RATES {
        let mut seen = Seen::default();
        let rounds = options.rounds_or(5);
        for _ in 0..rounds {
            seen.alone(&program, &namespace, rate)?;
            seen.together(&program, &namespace, rate)?;
        }
        println!("\n{AGENTS} agents at {rate} requests/s each for {SECONDS} s, and one alone at {rate}/s");
        seen.tell(rounds);
    }
    Ok(())
}

/// `unladen load` of so many requests a second, from these hosts; what it says.
fn load(program: &Path, url: &str, rate: u64, hosts: &[String]) -> Result<Value> {
    let mut command = children::tied(program);
    command.args(["load", "--json", "-q", "--http", "1.1", "--fail-on", "errors > 100%"]);
    command.args(["--rate", &rate.to_string(), "--requests", &(rate * SECONDS).to_string()]);
    if !hosts.is_empty() {
        command.arg("--no-copy");
    }
    for host in hosts {
        command.args(["--from", host]);
    }
    let ran = children::run(command.arg(url))?;
    Ok(serde_json::from_str(&ran.stdout)?)
}

impl Lag {
    fn push(&mut self, lag: &Value) -> Result<()> {
        for (series, name) in [(&mut self.p50, "p50"), (&mut self.p99, "p99"), (&mut self.max, "max")] {
            series.push(lag[name].as_f64().ok_or("it says no send lag")? / 1e3);
        }
        Ok(())
    }

    fn row(&self, name: &str, alone: &Self) -> Vec<String> {
        let [p50, p99, max] = [&self.p50, &self.p99, &self.max].map(ToString::to_string);
        vec![name.to_owned(), p50, p99, self.p99.over(&alone.p99).to_string(), max]
    }
}

impl Seen {
    fn alone(&mut self, program: &Path, namespace: &Namespace, rate: u64) -> Result<()> {
        let server = Server::start_at(namespace.address_here(), None)?;
        let document = load(program, &server.url, rate, &[])?;
        self.alone.push(&document["send_lag_ns"])?;
        arrived(&mut self.alone_arrived, server, rate)
    }

    fn together(&mut self, program: &Path, namespace: &Namespace, rate: u64) -> Result<()> {
        let folder = program.parent().ok_or("the program is in no folder")?.display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        let env = format!("env PATH='{folder}:{path}'");
        let hosts = [format!("here={env}"), format!("beside={env}"), format!("netns={} {env}", namespace.way())];
        let server = Server::start_at(namespace.address_here(), None)?;
        let document = load(program, &server.url, rate * AGENTS, &hosts)?;
        let agents = document["agents"].as_array().ok_or("it says nothing of agents")?;
        for (lag, agent) in self.agents.iter_mut().zip(agents) {
            lag.push(&agent["send_lag_ns"])?;
        }
        let number = |value: &Value| value.as_f64().unwrap_or(0.0);
        let requests: f64 = agents.iter().map(|agent| number(&agent["requests"])).sum();
        let cpu: f64 = agents.iter().map(|agent| number(&agent["cpu_ns"])).sum();
        self.told.push(requests / (rate * AGENTS * SECONDS) as f64 * 100.0);
        self.cpu.push(cpu / 1e3 / requests.max(1.0));
        self.fit += usize::from(document["fit"] == true);
        arrived(&mut self.agents_arrived, server, rate * AGENTS)
    }

    fn tell(&self, rounds: usize) {
        let names = ["agent here", "agent beside it", "agent in a namespace"];
        let mut rows = vec![self.alone.row("unladen load alone", &self.alone)];
        rows.extend(self.agents.iter().zip(names).map(|(lag, name)| lag.row(name, &self.alone)));
        print(&["says it was late by", "p50, µs", "p99, µs", "ratio", "max, µs"], &rows);
        println!();
        let row = |name: &str, [p50, p99]: &[Series; 2]| vec![name.to_owned(), p50.to_string(), p99.to_string()];
        let rows = [row("unladen load alone", &self.alone_arrived), row("all agents", &self.agents_arrived)];
        print(&["arrived late by", "p50, µs", "p99, µs"], &rows);
        println!(
            "  {} % of the planned requests are in the agents' result; they took {} µs of CPU a request; fit in {} of {rounds} rounds",
            self.told, self.cpu, self.fit
        );
    }
}

/// How late requests arrived against a constant rate.
fn arrived(series: &mut [Series; 2], server: Server, rate: u64) -> Result<()> {
    let arrived = server.stop()?.arrivals();
    let schedule = Schedule::fit(&arrived, rate as f64).ok_or("nothing arrived")?;
    let lags = schedule.lags(arrived.iter().copied());
    for (series, share) in series.iter_mut().zip([0.5, 0.99]) {
        series.push(quantile(&lags, share).ok_or("nothing arrived")? / 1e3);
    }
    Ok(())
}
