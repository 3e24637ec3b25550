//! What counting a process' system calls costs the process: by the tracer of `unladen weigh`, and by its peers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_probe::{Tracer, TracerConfig, Watched};

use crate::figures::{Series, print, three};
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "trace", about: "what counting system calls costs the process that makes them", run };

/// Answers each line, which says how many calls, with the ns that each of them took.
const CALLER: &str = r#"
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
$| = 1; print "ready\n";
while (my $calls = <STDIN>) {
    my $begun = clock_gettime(CLOCK_MONOTONIC);
    for (my $n = 0; $n < $calls; $n++) { -e '/nonexistent/file' }
    print((clock_gettime(CLOCK_MONOTONIC) - $begun) / $calls * 1e9, "\n");
}
"#;

/// Calls that are timed together.
const CALLS: u32 = 20_000;

/// How long a peer may take to attach.
const ATTACHING: Duration = Duration::from_millis(700);

/// In which way the caller is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// Nothing was loaded yet in this round: what the others are compared with.
    Never,
    /// The tracer follows another process.
    Beside,
    Followed,
    /// The tracer was loaded, and is gone: as timing phases would find the machine after an earlier run.
    Gone,
    Strace,
    PerfTrace,
}

const ALL: [(How, &str); 6] = [
    (How::Never, "nothing loaded"),
    (How::Beside, "unladen, following another process"),
    (How::Followed, "unladen, following this one"),
    (How::Gone, "unladen, detached again"),
    (How::Strace, "strace -c -f -p"),
    (How::PerfTrace, "perf trace -s -p"),
];

struct Caller {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Caller {
    fn start() -> Result<Self> {
        let mut child =
            Command::new("perl").args(["-e", CALLER]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut caller = Self { child, stdin, stdout };
        caller.line()?;
        Ok(caller)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// ns a call.
    fn call(&mut self) -> Result<f64> {
        writeln!(self.stdin, "{CALLS}")?;
        Ok(self.line()?.parse()?)
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn following(pid: u32) -> Result<Tracer> {
    let mut tracer = Tracer::open(&TracerConfig::default())?;
    tracer.watch(&[Watched { pid, group: 0, children: 0, own: true }])?;
    Ok(tracer)
}

/// While a peer is attached; `None` where it cannot be.
fn beside(program: &str, arguments: &[&str], caller: &mut Caller) -> Result<Option<f64>> {
    let pid = caller.child.id().to_string();
    let peer =
        Command::new(program).args(arguments).args(["-p", &pid]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut peer) = peer else { return Ok(None) };
    std::thread::sleep(ATTACHING);
    if peer.try_wait()?.is_some() {
        return Ok(None);
    }
    let cost = caller.call()?;
    kill(Pid::from_raw(i32::try_from(peer.id())?), Signal::SIGINT)?;
    peer.wait()?;
    Ok(Some(cost))
}

fn one(how: How) -> Result<Option<f64>> {
    let mut caller = Caller::start()?;
    caller.call()?; // its own caches
    let pid = caller.child.id();
    Ok(match how {
        How::Never => Some(caller.call()?),
        How::Beside => {
            let other = Caller::start()?;
            let _tracer = following(other.child.id())?;
            Some(caller.call()?)
        }
        How::Followed => {
            let _tracer = following(pid)?;
            Some(caller.call()?)
        }
        How::Gone => {
            drop(following(pid)?);
            Some(caller.call()?)
        }
        How::Strace => beside("strace", &["-c", "-f", "-o", "/dev/null"], &mut caller)?,
        How::PerfTrace => beside("perf", &["trace", "-s", "-o", "/dev/null"], &mut caller)?,
    })
}

fn run(options: &Options) -> Result<()> {
    let mut costs = vec![Series::default(); ALL.len()];
    for _ in 0..options.rounds_or(9) {
        for (costs, (how, _)) in costs.iter_mut().zip(ALL) {
            if let Some(cost) = one(how)? {
                costs.push(cost);
            }
        }
    }
    let rows: Vec<Vec<String>> = ALL
        .iter()
        .zip(&costs)
        .filter(|(_, cost)| !cost.is_empty())
        .map(|((_, name), cost)| {
            vec![(*name).to_owned(), format!("{} ns", three(cost.median())), cost.over(&costs[0]).to_string()]
        })
        .collect();
    print(&["stat of a file that is not there", "a call", "times as long as with nothing loaded"], &rows);
    Ok(())
}
