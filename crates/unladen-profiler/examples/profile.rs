//! Profiles a page that PHP-FPM makes, and prints its functions by the samples in them: `profile URL [REQUESTS
//! [PERIOD_US [cpu]]]`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::time::Duration;

use unladen_load::{Cancel, DriverConfig, Request};
use unladen_profile::{About, FrameKind, Profile, functions};
use unladen_profiler::{Clock, Excimer, ExcimerOptions, Profiler, capture_request};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: profile URL [REQUESTS [PERIOD_US [cpu]]]")?;
    let requests: u64 = arguments.next().map_or(Ok(20), |number| number.parse())?;
    let period = Duration::from_micros(arguments.next().map_or(Ok(1000), |number| number.parse())?);
    let clock = if arguments.next().is_some() { Clock::Cpu } else { Clock::Wall };

    let cancel = Cancel::new();
    let captured = capture_request(&DriverConfig::new(vec![Request::get(&url)?.build()?]), &cancel)?;
    println!("{} process {} at {}", captured.application.exe.display(), captured.application.pid, captured.address);
    let options = ExcimerOptions { period, clock, timeout: Duration::from_secs(60) };
    let mut profiler = Excimer::open(captured, options)?;
    for note in profiler.notes() {
        println!("note: {note}");
    }
    let mut profile = Profile::new(About { title: url, ..About::default() });
    let (mut plain, mut profiled) = (Vec::new(), Vec::new());
    for request in 0..requests {
        plain.push(profiler.plain(&cancel)?.took);
        profiled.push(profiler.profile(&mut profile, &cancel)?.took);
        println!("request {}", request + 1);
    }
    profiler.finish(&mut profile)?;
    for (name, mut times) in [("plain", plain), ("profiled", profiled)] {
        times.sort();
        println!("{name}: median {:?}, least {:?}", times.get(times.len() / 2), times.first());
    }
    println!("{} samples", profile.total());
    let mut rows = functions(&profile);
    rows.sort_by_key(|row| std::cmp::Reverse(row.self_weight));
    let total = profile.total().max(1) as f64;
    for row in rows.iter().take(15) {
        let frame = profile.frames.get(row.frame);
        let percent = |weight: u64| weight as f64 * 100.0 / total;
        println!(
            "{:6.2} % {:6.2} % {} {}",
            percent(row.self_weight),
            percent(row.total_weight),
            frame.kind.into_str(),
            frame.name
        );
    }
    let is_lookup =
        |stack| profile.stacks.inwards_out(stack).any(|frame| profile.frames.get(frame).kind == FrameKind::ClassLookup);
    let weights = profile.clusters.iter().flat_map(|cluster| &cluster.weights);
    let lookups: u64 = weights.filter(|(stack, _)| is_lookup(*stack)).map(|(_, weight)| weight).sum();
    println!("{:6.2} % inside look-ups of classes", lookups as f64 * 100.0 / total);
    Ok(())
}
