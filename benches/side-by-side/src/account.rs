//! What a proxy is worth to a PHP page that calls a service: the arms of `subjects/sidecar`, a hundred visitors at
//! once.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use unladen_load::Request;

use crate::Result;
use crate::calls::{Amount, Ask, Calls};
use crate::comparison::Comparison;
use crate::figures::{Limit, Series, print};
use crate::processes::Processes;
use crate::subject::Subject;

const VISITORS: usize = 100;
const WARM_UP: Duration = Duration::from_millis(1_500);
const TIME: Duration = Duration::from_secs(5);
/// The service's log is written once a second.
const LOGGED: Duration = Duration::from_millis(1_200);

/// What is said of our arm, over the throughput of others: the public account's gains, and not to be behind Envoy.
const BOUNDS: [(&str, f64); 3] = [("http", 1.46), ("https", 2.2), ("envoy", 1.0)];

/// The figures of one arm.
#[derive(Default, Clone)]
struct Figures {
    throughput: Series,
    p50_ms: Series,
    p99_ms: Series,
    /// CPU µs of a page: PHP's, the proxy's, the service's.
    cpu_us: [Series; 3],
    /// Of a page.
    connections: Series,
    handshakes: Series,
    bytes: Series,
}

pub(crate) fn run(all: &Comparison) -> Result<()> {
    let mut ways = vec!["http".to_owned(), "https".to_owned()];
    let mut variables: Vec<(String, PathBuf)> = Vec::new();
    for contestant in &all.contestants {
        let way = if contestant.is_ours() { "unladen" } else { &contestant.name };
        // Of several of ours, the first.
        if !ways.iter().any(|other| other == way) {
            ways.push(way.to_owned());
            variables.extend(contestant.variable().map(|name| (name.to_owned(), contestant.program.clone())));
        }
    }
    let subject = Subject::up_with("sidecar", variables)?;
    let (own, relayed) = (subject.get("TO")?, subject.get("RELAYED")?);
    let log = subject.get("CONNECTIONS")?;
    let place = Place { subject: &subject, to: own.into(), relayed, log: log.into() };
    for (what, distance, is_bound) in
        [("the service 10 ms away", "+delay", true), ("the service on the same machine", "", false)]
    {
        let mut figures = vec![Figures::default(); ways.len()];
        for round in 0..all.rounds_or(3) {
            for turn in 0..ways.len() {
                let index = (turn + round) % ways.len();
                place.measure(&format!("{}{distance}", ways[index]), &mut figures[index])?;
            }
        }
        println!("\n  {what}");
        show(&ways, &figures);
        if is_bound {
            judge(&ways, &figures);
        }
    }
    Ok(())
}

fn show(ways: &[String], figures: &[Figures]) {
    let row = |(way, of): (&String, &Figures)| {
        let [php, proxy, service] = &of.cpu_us;
        vec![
            way.clone(),
            of.throughput.to_string(),
            of.throughput.over(&figures[0].throughput).to_string(),
            of.throughput.over(&figures[1].throughput).to_string(),
            of.p50_ms.to_string(),
            of.p99_ms.to_string(),
            php.to_string(),
            proxy.to_string(),
            service.to_string(),
            of.connections.to_string(),
            of.handshakes.to_string(),
            of.bytes.to_string(),
        ]
    };
    let rows: Vec<_> = ways.iter().zip(figures).map(row).collect();
    let head = ["", "pages/s", "to http", "to https", "p50, ms", "p99, ms", "PHP, CPU µs", "proxy", "service"];
    print(&[&head[..], &["connections a page", "TLS handshakes", "bytes on the way"]].concat(), &rows);
}

fn judge(ways: &[String], figures: &[Figures]) {
    let of = |name: &str| ways.iter().position(|way| way == name).map(|at| &figures[at].throughput);
    let Some(ours) = of("unladen") else { return };
    for (against, least) in BOUNDS {
        if let Some(other) = of(against) {
            Limit::Least(least).judge(&format!("pages/s, unladen / {against}"), &ours.over(other));
        }
    }
}

/// The subject, and where it is told and tells.
struct Place<'a> {
    subject: &'a Subject,
    to: PathBuf,
    relayed: String,
    log: PathBuf,
}

impl Place<'_> {
    fn measure(&self, word: &str, figures: &mut Figures) -> Result<()> {
        fs::write(&self.to, format!("{word}\n"))?;
        self.subject.run("restart")?;
        let ask = Ask { connections: VISITORS, ..Ask::default() };
        let mut calls = Calls::sending(vec![Request::get(&self.subject.url)?.build()?], &ask, None, None)?;
        let mut call = |time| calls.call(Amount::Time(time)).map_err(|error| format!("{word}: {error}"));
        call(WARM_UP)?;
        let processes = ["fpm", "proxy", "service"].map(|name| self.subject.daemon(name));
        let mut clocks = Vec::new();
        for pid in processes {
            clocks.push(pid?.map(Processes::of));
        }
        std::thread::sleep(LOGGED);
        let logged = fs::metadata(&self.log)?.len();
        let relayed = self.relayed()?;
        let before = cpu(&clocks)?;
        let called = call(TIME)?;
        let after = cpu(&clocks)?;
        let bytes = self.relayed()? - relayed;
        std::thread::sleep(LOGGED);
        let (connections, handshakes) = connections(&self.log, logged)?;

        let pages = called.requests();
        figures.throughput.push(called.rate());
        figures.p50_ms.push(called.latency_us(0.5) / 1e3);
        figures.p99_ms.push(called.latency_us(0.99) / 1e3);
        for ((series, before), after) in figures.cpu_us.iter_mut().zip(before).zip(after) {
            if let Some((before, after)) = before.zip(after) {
                series.push((after - before).as_secs_f64() * 1e6 / pages);
            }
        }
        figures.connections.push(connections / pages);
        figures.handshakes.push(handshakes / pages);
        if word.ends_with("+delay") {
            figures.bytes.push(bytes / pages);
        }
        Ok(())
    }

    /// Bytes that the relay has relayed so far; none where there is no relay.
    fn relayed(&self) -> Result<f64> {
        let Ok(mut stream) = TcpStream::connect(&self.relayed) else { return Ok(0.0) };
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        let numbers = said
            .lines()
            .filter(|line| line.contains("bytes"))
            .filter_map(|line| line.split(' ').nth(1)?.parse::<f64>().ok());
        Ok(numbers.sum())
    }
}

fn cpu(clocks: &[Option<Processes>]) -> Result<Vec<Option<Duration>>> {
    clocks.iter().map(|processes| processes.as_ref().map(Processes::cpu).transpose()).collect()
}

/// New connections, and full handshakes of TLS, in what has been logged from a place on.
fn connections(log: &PathBuf, from: u64) -> Result<(f64, f64)> {
    let mut file = fs::File::open(log)?;
    file.seek(SeekFrom::Start(from))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let new = |kind: &str| {
        text.lines().filter(|line| line.strip_prefix("1 ").is_some_and(|rest| rest.contains(kind))).count() as f64
    };
    Ok((new(""), new(".")))
}
