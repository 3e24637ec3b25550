//! The crate `unladen-load` in a process of its own, without the command around it.

use std::process::Command;
use std::time::Duration;

use unladen_load::{Cancel, Driver, DriverConfig, HttpVersion, Request, Stop};

use crate::tool::{Load, Said, Tool};
use crate::{Result, children, roles};

pub(super) struct Library;

impl Tool for Library {
    fn name(&self) -> &'static str {
        "unladen-load"
    }

    fn command(&self, load: &Load) -> Result<Command> {
        let mut command = children::tied(std::env::current_exe()?);
        command.args([roles::CLIENT, &load.url, &load.requests().to_string(), &load.connections.to_string()]);
        command.arg(if load.keep_alive { "keep" } else { "close" });
        Ok(command)
    }

    fn said(&self, stdout: &str) -> Result<Said> {
        Ok(Said { answered: stdout.trim().parse()?, ..Said::default() })
    }
}

/// As a client that sends a number of requests, and says how many were answered; a failure ends it.
pub(crate) fn be_the_client(arguments: &[String]) -> Result<()> {
    let [url, requests, connections, keep] = arguments else {
        return Err("URL REQUESTS CONNECTIONS keep|close".into());
    };
    let config = DriverConfig {
        concurrency: connections.parse()?,
        keep_alive: keep == "keep",
        http: HttpVersion::Http1,
        ..DriverConfig::new(vec![Request::get(url)?.build()?])
    };
    let mut driver = Driver::start(config)?;
    let stop = Stop::after(Duration::from_secs(60)).or_requests(requests.parse()?);
    let tally = driver.run(0, stop, &Cancel::new())?;
    println!("{}", tally.requests);
    Ok(())
}
