//! Follows processes until Enter is pressed, and prints what they did: `trace [--events] [--spawner] PID…`. With
//! --events, every event; a process after --spawner is followed for its children alone.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;

use unladen_probe::{Tracer, TracerConfig, Watched};
use unladen_trace::{Countable, What};

fn name(what: &What) -> String {
    match what {
        What::File { call, result, .. } => format!("File {call:?}{}", if *result < 0 { " failed" } else { "" }),
        What::Transfer { way, object, .. } => {
            let object = format!("{object:?}");
            format!("Transfer {way:?} {}", object.split(['(', ' ']).next().unwrap_or_default())
        }
        What::Compile { language, path, nested, .. } => {
            format!(
                "Compile {language:?}{}{}",
                if path.is_some() { " path" } else { "" },
                if *nested { " nested" } else { "" }
            )
        }
        other => format!("{other:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut print_events = false;
    let mut own = true;
    let mut watched = Vec::new();
    for argument in std::env::args().skip(1) {
        if argument == "--events" {
            print_events = true;
        } else if argument == "--spawner" {
            own = false;
        } else {
            watched.push(Watched {
                pid: argument.parse()?,
                group: 0,
                children: 0,
                own: std::mem::replace(&mut own, true),
            });
        }
    }
    let mut tracer = Tracer::open(&TracerConfig::default())?;
    tracer.watch(&watched)?;
    println!(
        "sources {:?}; a call's time contains {} ns of tracing; Enter ends",
        tracer.sources(),
        tracer.overhead_ns()
    );
    for missing in tracer.missing() {
        println!("missing {:?}: {}; it takes {}", missing.source, missing.why, missing.takes);
    }
    std::io::stdin().read_line(&mut String::new())?;
    let batch = tracer.take()?;
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for event in &batch.events {
        *kinds.entry(name(&event.what)).or_default() += 1;
        if print_events {
            let text = format!("{:?}", event.what);
            println!("{} {} {}", event.at_ns, event.tid, text.chars().take(300).collect::<String>());
        }
    }
    println!("{} events, {} lost", batch.events.len(), batch.lost);
    for (kind, times) in kinds {
        println!("{times:9} {kind}");
    }
    let mut counts: BTreeMap<Countable, (u64, u64)> = BTreeMap::new();
    for count in &batch.counts {
        let sum = counts.entry(count.of).or_default();
        sum.0 += count.times;
        sum.1 += count.time_ns;
    }
    for (of, (times, time_ns)) in counts {
        println!("{times:9} {time_ns:12} ns {of:?}");
    }
    Ok(())
}
