//! `relay`: forwards TCP connections as if the other end were some way off: what is sent arrives a fixed time later, in
//! each direction, and a new connection costs a round trip before its first byte leaves.
//!
//! ```text
//!            delay D         client                relay                    service
//!   0        connects        ─────────────────────▶ (accepted at once)
//!   D                                               connects ─────────────▶ accepts
//!  2D        its first bytes count as sent now, however early they came
//!  3D                                               forwards them ────────▶
//!  3D + s                                                       ◀────────── answers
//!  4D + s    ◀───────────────────────────────────── forwards the answer
//! ```
//!
//! So a request over a new connection takes two round trips and over an open one a single round trip, and a handshake
//! of TLS as many more as it has flights. An end of sending arrives as an end, a reset as a reset. There is no limit of
//! bandwidth and no loss, and windows do not have to grow first: it is a long wire, not a bad one.
//!
//! Memory is bounded: a direction holds 4 MiB, and all together 256 MiB and 64 KiB a direction; beyond that, the sender
//! waits. One thread does it all, with a timer of the kernel's finest kind: what it forwards is late by what it takes
//! to wake up.
#![forbid(unsafe_code)]

mod budget;
mod counts;
mod lane;
mod link;
mod relaying;
mod timetable;

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use relaying::{Relaying, Settings};

const USAGE: &str = "usage: relay [--delay MS] [--counts ADDRESS] [--daemon PIDFILE] LISTEN=TO…
    relay --delay 10 127.0.0.1:8001=127.0.0.1:80 127.0.0.1:8002=127.0.0.1:443
  --delay     of each direction, in ms; 10 otherwise
  --counts    who connects there is told connections and bytes so far
  --daemon    goes on in the background, and writes its pid there";

/// As far as a satellite in its orbit, and back.
const LONGEST: Duration = Duration::from_secs(10);

struct Options {
    settings: Settings,
    pid_file: Option<PathBuf>,
}

fn main() -> ExitCode {
    if std::env::args().skip(1).any(|word| word == "--help" || word == "-h") {
        // Who asked and does not listen misses nothing else.
        let _ = writeln!(std::io::stdout(), "{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(what) => {
            eprintln!("relay: {what}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match relay(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("relay: {error}");
            ExitCode::FAILURE
        }
    }
}

fn relay(options: &Options) -> std::io::Result<()> {
    // A connection takes two descriptors.
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    // It listens before it goes into the background: whoever started it may connect as soon as that has ended.
    let mut relaying = Relaying::open(&options.settings, usize::try_from(hard / 2).unwrap_or(usize::MAX))?;
    if let Some(file) = &options.pid_file {
        nix::unistd::daemon(false, false)?;
        fs::write(file, format!("{}\n", std::process::id()))?;
    }
    relaying.run()
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut settings = Settings { delay: Duration::from_millis(10), counts: None, routes: Vec::new() };
        let mut pid_file = None;
        while let Some(word) = words.next() {
            if let Some((listen, to)) = word.split_once('=') {
                settings.routes.push((address(listen)?, address(to)?));
                continue;
            }
            let mut value = || words.next().ok_or_else(|| format!("{word} takes a value"));
            match word.as_str() {
                "--delay" => settings.delay = delay(&value()?)?,
                "--counts" => settings.counts = Some(address(&value()?)?),
                "--daemon" => pid_file = Some(value()?.into()),
                _ => return Err(format!("there is no option {word}")),
            }
        }
        if settings.routes.is_empty() {
            return Err("what is to be relayed is missing".into());
        }
        Ok(Self { settings, pid_file })
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| format!("{text} is no address with a port"))
}

fn delay(text: &str) -> Result<Duration, String> {
    let ms: Option<f64> = text.parse().ok();
    let delay = ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1e3).ok()).filter(|delay| *delay <= LONGEST);
    delay.ok_or_else(|| format!("--delay cannot be {text}: it is in ms, at most {}", LONGEST.as_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        let options =
            parse("--delay 2.5 --counts 127.0.0.1:3 --daemon /run/pid 127.0.0.1:1=127.0.0.1:2 [::1]:1=[::1]:2")
                .unwrap();
        assert_eq!(options.settings.delay, Duration::from_micros(2_500));
        assert_eq!(options.settings.counts.unwrap().port(), 3);
        assert_eq!(options.settings.routes.len(), 2);
        assert_eq!(parse("127.0.0.1:1=127.0.0.1:2").unwrap().settings.delay, Duration::from_millis(10));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for line in [
            "",
            "--delay 10",
            "--delay -1 127.0.0.1:1=127.0.0.1:2",
            "--delay 1e9 127.0.0.1:1=127.0.0.1:2",
            "a=b",
            "--what",
            "--daemon",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
