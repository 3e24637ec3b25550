//! What tracing costs a system call: of a process that is followed, and of one that is not, against none traced at all.
//! The three take turns, so that drift of the machine falls on all of them. docs/reference/trace.md shows what it
//! prints.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use nix::fcntl::{OFlag, open};
use nix::sys::stat::{Mode, stat};
use unladen_probe::{Tracer, TracerConfig, Watched};

const TURNS: usize = 15;
const CALLS: u32 = 40_000;

type Error = Box<dyn std::error::Error>;

/// What is called, and how.
const KINDS: [(&str, fn()); 4] = [
    ("getppid", || _ = nix::unistd::getppid()),
    ("stat, no such file", || _ = stat("/nonexistent/file")),
    ("stat", || _ = stat("/etc/passwd")),
    ("open and close", || _ = open("/etc/passwd", OFlag::O_RDONLY, Mode::empty())),
];

/// Answers each line with ns a call of each kind.
fn child() -> Result<(), Error> {
    for _ in std::io::stdin().lock().lines() {
        let costs = KINDS.map(|(_, call)| {
            let begun = Instant::now();
            (0..CALLS).for_each(|_| call());
            (begun.elapsed().as_nanos() / u128::from(CALLS)).to_string()
        });
        println!("{}", costs.join(" "));
    }
    Ok(())
}

struct Caller {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Caller {
    fn start() -> Result<Self, Error> {
        let own = std::env::current_exe()?;
        let mut child = Command::new(own).arg("child").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take().ok_or("no pipe")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        Ok(Self { child, stdin, stdout })
    }

    fn costs(&mut self) -> Result<Vec<u64>, Error> {
        writeln!(self.stdin, "go")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
    }
}

fn main() -> Result<(), Error> {
    if std::env::args().nth(1).as_deref() == Some("child") {
        return child();
    }
    let mut caller = Caller::start()?;
    let mut arms = [const { Vec::new() }; 3];
    caller.costs()?;
    let mut overhead_ns = 0;
    for _ in 0..TURNS {
        arms[0].push(caller.costs()?);
        let mut tracer = Tracer::open(&TracerConfig::default())?;
        overhead_ns = tracer.overhead_ns();
        arms[1].push(caller.costs()?);
        tracer.watch(&[Watched { pid: caller.child.id(), group: 0, children: 0, own: true }])?;
        arms[2].push(caller.costs()?);
        let lost = tracer.take()?.lost;
        if lost > 0 {
            println!("{lost} events were lost");
        }
    }
    println!("medians of {TURNS} turns, ns a call; of a call's time as traced, {overhead_ns} ns are tracing's");
    println!("{:20} {:>8} {:>14} {:>20} {:>12}", "call", "untraced", "not followed", "followed", "added");
    for (index, (name, _)) in KINDS.iter().enumerate() {
        let [off, other, own] = arms.each_ref().map(|turns| {
            let mut costs: Vec<u64> = turns.iter().map(|costs| costs[index]).collect();
            costs.sort_unstable();
            costs[costs.len() / 2]
        });
        let times = |cost: u64| format!("{cost} (×{:.2})", cost as f64 / off as f64);
        println!("{name:20} {off:8} {:>14} {:>20} {:>12}", times(other), times(own), own.saturating_sub(off));
    }
    caller.child.kill()?;
    caller.child.wait()?;
    Ok(())
}
