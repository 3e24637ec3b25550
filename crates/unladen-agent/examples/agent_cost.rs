//! What an agent costs on its host: `agent_cost COMMAND [AGENT]` reads its counters each 500 ms for 30 s.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use unladen_agent::{FarInstrument, Host, Session, SessionOptions};
use unladen_probe::GroupBy;

const READINGS: u32 = 60;
const PHASE: Duration = Duration::from_millis(500);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let host = Host::new("there", &words.next().ok_or("agent_cost COMMAND [AGENT]")?)?;
    let options = SessionOptions { agent: words.next().map(PathBuf::from), ..SessionOptions::default() };
    let soon = || Instant::now() + Duration::from_secs(10);
    let begun = Instant::now();
    let session = Session::start(&host, &options)?;
    println!("started after {:?} ({})", begun.elapsed(), session.path());
    session.measure_clock(10, soon())?;
    println!("{:?} {:?}", session.round_trips(), session.clock());
    let mut instrument = FarInstrument::open(session, GroupBy::Auto, soon())?;
    let cpu = instrument.counters().iter().position(|counter| counter.name == "cpu");
    let mut all = 0;
    for number in 0..READINGS {
        std::thread::sleep(PHASE);
        let reading = instrument.read(soon())?;
        let own = instrument.groups().iter().position(|group| group.name.contains("(the client)"));
        if number > 0 {
            let of_own =
                reading.grown.iter().filter(|(group, counter, _)| Some(*group) == own && Some(*counter) == cpu);
            all += of_own.map(|(_, _, amount)| amount).sum::<u64>();
        }
    }
    let share = all as f64 / f64::from(READINGS - 1) / PHASE.as_nanos() as f64;
    println!("{} groups; the agent takes {:.2} % of a core", instrument.groups().len(), share * 100.0);
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        if status.starts_with("Name:\tunladen-agent\n") {
            let lines = status.lines().filter(|line| line.starts_with("VmHWM") || line.starts_with("RssAnon"));
            println!("{}", lines.collect::<Vec<_>>().join(" "));
        }
    }
    Ok(())
}
