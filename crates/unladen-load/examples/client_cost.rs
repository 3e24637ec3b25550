//! What the client itself costs: sends a number of requests, and prints its own CPU and allocations for each.
//!
//! ```text
//! cargo run --release -p unladen-load --example client_cost -- http://127.0.0.1:8080/ 100000 7
//! strace -c -f target/release/examples/client_cost http://127.0.0.1:8080/ 10000 1
//! ```
//! After number and concurrency, `close` asks for a connection per request, `h2` for HTTP/2, and `insecure` for no
//! check of certificates.
#![allow(unsafe_code, clippy::print_stdout, reason = "an example prints, and counts allocations")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use unladen_load::{Cancel, Driver, DriverConfig, HttpVersion, Request, Stop};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: hands every call on to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, requests, concurrency, options @ ..] = &arguments[..] else {
        return Err("usage: client_cost URL REQUESTS CONCURRENCY [close] [h2] [insecure]".into());
    };
    let has = |option: &str| options.iter().any(|given| given == option);
    let mut config = DriverConfig {
        concurrency: concurrency.parse()?,
        keep_alive: !has("close"),
        http: if has("h2") { HttpVersion::Http2 } else { HttpVersion::Http1 },
        ..DriverConfig::new(vec![Request::get(url)?.build()?])
    };
    config.tls.insecure = has("insecure");

    let mut driver = Driver::start(config)?;
    let cancel = Cancel::new();
    driver.run(0, Stop::after(Duration::from_secs(60)).or_requests(100), &cancel)?;
    let (allocations, cpu, start) = (ALLOCATIONS.load(Relaxed), cpu()?, Instant::now());
    let mut tally = driver.run(0, Stop::after(Duration::from_secs(600)).or_requests(requests.parse()?), &cancel)?;
    let each = tally.requests as f64;
    tally.latencies_ns.sort_unstable();
    let at = |share: f64| tally.latencies_ns[((tally.latencies_ns.len() - 1) as f64 * share) as usize] as f64 / 1e3;
    println!(
        "{} requests, {:.0}/s, of {} bytes; each: {:.2} us of the client's CPU, {:.2} allocations, {:.2} connections; \
         p50 {:.1} us, p99 {:.1} us",
        tally.requests,
        each / start.elapsed().as_secs_f64(),
        tally.body_bytes / tally.requests,
        (self::cpu()? - cpu).as_secs_f64() * 1e6 / each,
        (ALLOCATIONS.load(Relaxed) - allocations) as f64 / each,
        tally.connections_opened as f64 / each,
        at(0.5),
        at(0.99),
    );
    Ok(())
}

/// The CPU time of this process so far.
fn cpu() -> nix::Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?.into())
}
