//! FastCGI: what a page of PHP-FPM costs the server in front of it: `unladen serve`, nginx, Caddy.
//!
//! The page is as short as one can be, at a Unix socket, of one PHP-FPM for all. Each server is a fresh process with one
//! thread for requests in every round, with its connections to PHP-FPM kept or not. What a request costs is read from
//! the server's CPU clocks, without PHP-FPM's; status and length of every answer are looked at.

mod contestant;

use std::path::Path;
use std::time::Duration;

use self::contestant::Contestant;
use crate::figures::{Series, print};
use crate::rig::callers::{Amount, Callers, Calls, SETTLE};
use crate::rig::limit::Limit;
use crate::rig::listen::Listen;
use crate::rig::php_fpm::PhpFpm;
use crate::rig::ports::Ports;
use crate::rig::running::Running;
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result, peers};

pub(crate) const BENCH: Bench =
    Bench { name: "fastcgi", about: "a page of PHP-FPM: CPU of a request in front of it", run };

/// It tells its length, which the clients want to know; PHP by itself does not.
const PAGE: &str = "<?php header('Cache-Control: no-store'); header('Content-Length: 6'); echo \"hello\\n\";\n";
const LENGTH: u64 = 6;
const AT_ONCE: usize = 16;
/// A kept connection holds a worker, and no request is to wait for one.
const WORKERS: usize = AT_ONCE + 8;
const WARM_UP: Amount = Amount::Time(Duration::from_millis(500));
const TIME: Amount = Amount::Time(Duration::from_secs(2));

/// CPU time, requests, time.
type Took = (Duration, f64, Duration);

fn run(options: &Options) -> Result<()> {
    if !options.only.is_empty() {
        return Err("`fastcgi` has one case alone: leave --only out".into());
    }
    if !peers::has("php-fpm") {
        return Err("it measures servers in front of PHP-FPM, and there is none".into());
    }
    let contestants = Contestant::all(&options.proxies)?;
    let scratch = ScratchFolder::new()?;
    let fpm = PhpFpm::start("hello", &scratch, WORKERS, PAGE)?;
    let mut ports = Ports::new();
    let mut cpu_us = vec![Series::default(); contestants.len()];
    let mut rate = cpu_us.clone();
    for round in 0..options.rounds_or(5) {
        for turn in 0..contestants.len() {
            // Nobody is always first.
            let index = (turn + round) % contestants.len();
            let (cpu, requests, wall) = measure(&contestants[index], &scratch, ports.free()?, &fpm)?;
            cpu_us[index].push(cpu.as_secs_f64() * 1e6 / requests);
            rate[index].push(requests / wall.as_secs_f64());
        }
    }
    show(&contestants, &cpu_us, &rate);
    judge(&contestants, &cpu_us);
    Ok(())
}

fn measure(contestant: &Contestant, scratch: &ScratchFolder, port: u16, fpm: &PhpFpm) -> Result<Took> {
    let listen = Listen::Tcp(port);
    let command = |folder: &Path| contestant.command(folder, port, fpm);
    // It is a folder's name as well, which nginx takes without spaces alone.
    let name = contestant.name.replace([',', ' '], "-");
    let running = Running::start(&name, scratch, command, std::slice::from_ref(&listen))?;
    let calls = Calls { path: "/index.php", length: LENGTH, connections: AT_ONCE, keep: true, ..Calls::default() };
    let mut callers = Callers::start(&listen, &calls)?;
    callers.call(WARM_UP, AT_ONCE).map_err(|error| format!("{}: {error}", contestant.name))?;
    std::thread::sleep(SETTLE);
    let processes = running.processes();
    let before = processes.cpu()?;
    let called = callers.call(TIME, AT_ONCE).map_err(|error| format!("{}: {error}", contestant.name))?;
    std::thread::sleep(SETTLE);
    let cpu = processes.cpu()?.saturating_sub(before);
    Ok((cpu, called.requests as f64, called.wall))
}

fn show(contestants: &[Contestant], cpu_us: &[Series], rate: &[Series]) {
    let theirs: Vec<usize> = (0..contestants.len()).filter(|index| !contestants[*index].is_ours()).collect();
    let over = theirs.iter().map(|other| format!("over {}", contestants[*other].name));
    let head: Vec<String> = ["".to_owned(), "CPU µs a request".to_owned()]
        .into_iter()
        .chain(over)
        .chain(["requests/s".to_owned()])
        .collect();
    let row = |index: usize| {
        let mut row = vec![contestants[index].name.clone(), cpu_us[index].to_string()];
        row.extend(theirs.iter().map(|other| cpu_us[index].over(&cpu_us[*other]).to_string()));
        row.push(rate[index].to_string());
        row
    };
    let rows: Vec<_> = (0..contestants.len()).map(row).collect();
    print(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
}

fn judge(contestants: &[Contestant], cpu_us: &[Series]) {
    for (ours, own) in contestants.iter().zip(cpu_us).filter(|(ours, _)| ours.is_ours() && ours.keeps) {
        for (other, its) in contestants.iter().zip(cpu_us) {
            if let Some(bound) = other.bound() {
                let what = format!("CPU of a request, {} / {}", ours.name, other.name);
                Limit::Most(bound).judge(&what, &own.over(its));
            }
        }
    }
}
