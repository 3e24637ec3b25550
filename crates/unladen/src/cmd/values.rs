//! Values of options that several commands take. Each error is a clause that follows the option's name and value; but for
//! [`sending_hosts`], which a file may name too.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use unladen_agent::{Host, HostError};
use unladen_load::{count_of, time_of};

use crate::exit::Failure;

/// `2%` or `0.02`, as a share; not 0.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let share = match text.strip_suffix('%') {
        Some(number) => number.trim().parse().map(|number: f64| number / 100.0),
        None => text.parse(),
    };
    match share {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a percentage above 0% and below 100%, such as 2%".into()),
    }
}

/// `25%` or `0.25` of a core; more than one, too.
pub(super) fn share_of_a_core(text: &str) -> Result<f64, String> {
    let cores = match text.strip_suffix('%') {
        Some(number) => number.trim().parse().map(|number: f64| number / 100.0),
        None => text.parse(),
    };
    let wanted = "expected a part of one core from 1% on, such as 25% or 150%";
    cores.ok().filter(|cores| (0.01..=1_000.0).contains(cores)).ok_or_else(|| wanted.to_owned())
}

/// `2%` or `0.02`, as a share; `0%` too.
pub(super) fn tolerated(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse() {
        Ok(0.0) => Ok(0.0),
        _ => percent(text).map_err(|_| "expected a percentage from 0% to below 100%, such as 2%".into()),
    }
}

/// `127.0.0.1:8080`; also `::127.0.0.1:8080`, curl's form for any host and port.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let plain = text.strip_prefix("::").filter(|rest| rest.contains(':')).unwrap_or(text);
    let parsed = text.parse().or_else(|_| plain.parse());
    parsed.map_err(|_| "expected an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080".to_owned())
}

/// `127.0.0.1:9901`, `localhost:9901` or `unix:/run/unladen/admin.sock`.
pub(super) fn admin_address(text: &str) -> Result<String, String> {
    let is_one = match text.strip_prefix("unix:") {
        Some(path) => path.starts_with('/'),
        None => text.rsplit_once(':').is_some_and(|(host, port)| {
            let is_bracketed = host.starts_with('[') && host.ends_with(']');
            let is_host = !host.is_empty() && (is_bracketed || !host.contains([':', '/', '@']));
            is_host && port.parse::<u16>().is_ok()
        }),
    };
    if is_one { Ok(text.to_owned()) } else { Err("expected 127.0.0.1:9901 or unix:/PATH".to_owned()) }
}

/// The cookies of one option, which like curl's may hold several: `a=1; b=2`.
pub(super) fn cookies_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|cookie| !cookie.is_empty())
}

pub(super) fn concurrency(text: &str) -> Result<usize, String> {
    let count = count_of(text).ok().filter(|count| (1..=10_000).contains(count));
    count.map(|count| count as usize).ok_or_else(|| "expected 1 to 10,000 requests at once, such as 10".to_owned())
}

pub(super) fn some(text: &str) -> Result<u64, String> {
    match count_of(text)? {
        0 => Err("expected at least 1, such as 500, 10k or 1M".to_owned()),
        count => Ok(count),
    }
}

pub(super) fn some_time(text: &str) -> Result<Duration, String> {
    match time_of(text)? {
        Duration::ZERO => Err("expected a time above 0, such as 30s".to_owned()),
        time => Ok(time),
    }
}

/// A latency; needs a unit, as a bare number could be seconds or, as in k6, milliseconds.
pub(super) fn latency(text: &str) -> Result<Duration, String> {
    let time = if text.trim().ends_with(char::is_alphabetic) { time_of(text).ok() } else { None };
    time.ok_or_else(|| "expected times with their units, such as 5ms or 1.5s".to_owned())
}

pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| "expected a whole number, as the earlier run shows it as its seed".to_owned())
}

const MOST: usize = 32;

/// Unnamed hosts are called `agent-1` and so on, by position. `said` says where they were named.
pub(super) fn sending_hosts(from: &[String], said: &str) -> Result<Vec<Host>, Failure> {
    let usage = |error: HostError| Failure::Usage(format!("{said}: {error}"));
    if from.len() > MOST {
        return Err(Failure::Usage(format!("{said}: {} hosts were given; at most {MOST} are allowed", from.len())));
    }
    let mut hosts: Vec<Host> = Vec::new();
    for (index, text) in from.iter().enumerate() {
        if Path::new(text).is_file() {
            return Err(Failure::Usage(format!(
                "{said} {text}: this is a file. `unladen load --replay FILE` shows a recorded load; a host is a \
                 command, such as 'ssh gen1'"
            )));
        }
        let host = match text.split_once('=') {
            Some((name, command)) if !name.contains([' ', '\t']) => Host::new(name, command).map_err(usage)?,
            _ => Host::new(&format!("agent-{}", index + 1), text).map_err(usage)?,
        };
        if hosts.iter().any(|other| other.name == host.name) {
            return Err(Failure::Usage(format!("{said}: two hosts have the name {}", host.name)));
        }
        hosts.push(host);
    }
    Ok(hosts)
}

/// Refuses a closed loop in which a host would have nothing to send.
pub(super) fn check_concurrency(concurrency: usize, hosts: usize) -> Result<(), Failure> {
    if concurrency >= hosts {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--concurrency {concurrency} counts the whole load: with {hosts} hosts, it must be at least {hosts}"
    )))
}

#[cfg(test)]
mod tests;
