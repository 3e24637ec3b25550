//! What connections take of memory: sends over as many as are named for three seconds, and prints the peak before and after.
//!
//! ```text
//! cargo run --release -p unladen-load --example client_memory -- http://127.0.0.1:8080/ 500
//! ```
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Duration;

use unladen_load::{Cancel, Driver, DriverConfig, LoadPlan, Mix, Request, Stop, TlsOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, connections] = &arguments[..] else {
        return Err("usage: client_memory URL CONNECTIONS".into());
    };
    let connections: usize = connections.parse()?;
    let tls = TlsOptions { insecure: true, ..TlsOptions::default() };
    let mut driver = Driver::start(DriverConfig { tls, ..DriverConfig::new(vec![Request::get(url)?.build()?]) })?;
    let cancel = Cancel::new();
    driver.sample(0, &cancel)?;
    let before = peak_kib()?;
    let stop = Stop::after(Duration::from_secs(3));
    let mut running =
        driver.load(LoadPlan { stop, concurrency: connections, ..LoadPlan::new(Mix::only(0)) }, &cancel)?;
    let (mut answered, mut failed) = (0_u64, 0_u64);
    while let Some(batch) = running.next_batch() {
        answered += batch.len() as u64;
        failed += batch.iter().filter(|outcome| outcome.error.is_some()).count() as u64;
    }
    let opened = running.end()?.connections_opened;
    let after = peak_kib()?;
    let each = (after - before) as f64 / connections as f64;
    println!(
        "{opened} connections, {answered} requests, {failed} failed: {before} KiB before, {after} KiB after, {each:.1} KiB each"
    );
    Ok(())
}

fn peak_kib() -> Result<u64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(peak.trim().trim_end_matches(" kB").parse()?)
}
