//! How fast logs are read, and in how much memory: reads files, and prints kinds, lines/s by the clock and by CPU time,
//! and the peak of memory.
//!
//! ```text
//! cargo run --release -p unladen-traffic --example traffic_speed -- --make 2000000 > access.log
//! cargo run --release -p unladen-traffic --example traffic_speed -- --make-distinct 10000000 | … -- -
//! cargo run --release -p unladen-traffic --example traffic_speed -- access.log
//! ```
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::io::{self, BufWriter, Write};
use std::time::Instant;

use unladen_traffic::{Options, Traffic};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [what, lines] if what.starts_with("--make") => make(lines.parse()?, what == "--make-distinct")?,
        [] => println!("traffic_speed FILE… | --make LINES | --make-distinct LINES"),
        files => {
            let begin = Instant::now();
            let traffic = Traffic::read(files, &Options::default())?;
            let seconds = begin.elapsed().as_secs_f64();
            for kind in traffic.kinds.iter().take(40) {
                println!("{:>9} {}  {}", kind.requests, kind.name, kind.examples().next().unwrap_or(""));
            }
            for client in &traffic.clients {
                println!("{:>9} {}", client.requests, client.name);
            }
            let status = std::fs::read_to_string("/proc/self/status")?;
            let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("");
            println!("{} kinds, {} networks, {:?}", traffic.kinds.len(), traffic.networks, traffic.passed_over);
            let cpu = std::fs::read_to_string("/proc/self/schedstat")?;
            let cpu: f64 = cpu.split(' ').next().unwrap_or("").parse()?;
            let lines = traffic.lines as f64;
            println!("{lines} lines, {:.0} lines/s, {:.0} lines/s of CPU, {peak}", lines / seconds, lines / cpu * 1e9);
        }
    }
    Ok(())
}

/// A wiki's log: titles after Zipf, or a new target each.
fn make(lines: u64, is_distinct: bool) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut rng = fastrand::Rng::with_seed(1);
    let agents = [
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot)",
        "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    ];
    for line in 0..lines {
        // The number of a title is exp(u · ln 100,000): a share of 1/rank.
        let title = (rng.f64() * 100_000_f64.ln()).exp() as u64;
        let target = match rng.u32(0..100) {
            _ if is_distinct && rng.bool() => format!("/{:x}/{}?q{}={line}", rng.u64(..), rng.u32(..), rng.u16(..)),
            _ if is_distinct => format!("/section-{}/the-story-of-{line}", rng.u8(..)),
            0..40 => format!("/wiki/Some_Title_{title}"),
            40..50 => format!("/w/index.php?title=Some_Title_{title}&diff={line}&oldid=5"),
            50..56 => format!("/w/index.php?title=Some_Title_{title}&action=history"),
            56..80 => format!("/w/load.php?lang=en&modules=startup&only=scripts&v={title}"),
            80..90 => format!("/static/images/{title}.png"),
            90..95 => format!("/blog/{}/post-about-{title}", 2000 + title % 20),
            _ => format!("/{}?page={title}", ["about", "contact", "search", "help"][title as usize % 4]),
        };
        let (a, b) = (rng.u8(1..220), (rng.f64() * 11.0).exp2() as u32);
        writeln!(
            out,
            "{a}.{}.{}.7 - - [10/Oct/2026:{:02}:{:02}:{:02} +0000] \"GET {target} HTTP/1.1\" 200 {} \
             \"https://wiki.example/wiki/Main_Page\" \"{}\"",
            b / 256,
            b % 256,
            line / 3_600_000 % 24,
            line / 60_000 % 60,
            line / 1000 % 60,
            rng.u32(100..90_000),
            agents[rng.usize(0..4)]
        )?;
    }
    out.flush()
}
