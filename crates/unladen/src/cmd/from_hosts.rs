//! [`hosts`]: the hosts that send a load or an experiment, as `--from` or a file names them.

use std::path::Path;

use unladen_agent::{Host, HostError};

use crate::exit::Failure;

const MOST: usize = 32;

/// Unnamed hosts are called `agent-1` and so on, by position. `said` says where they were named.
pub(super) fn hosts(from: &[String], said: &str) -> Result<Vec<Host>, Failure> {
    let usage = |error: HostError| Failure::Usage(format!("{said}: {error}"));
    if from.len() > MOST {
        return Err(Failure::Usage(format!("{said}: {} hosts are given, and {MOST} is the most", from.len())));
    }
    let mut hosts: Vec<Host> = Vec::new();
    for (index, text) in from.iter().enumerate() {
        if Path::new(text).is_file() {
            return Err(Failure::Usage(format!(
                "{said} {text}: this is a file. A recorded load is told by `unladen load --from FILE`, without a URL; a host is a command, such as 'ssh gen1'"
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
        "--concurrency {concurrency} is of the whole load: {hosts} hosts need at least one request under way for each host"
    )))
}

#[cfg(test)]
mod tests;
