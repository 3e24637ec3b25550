//! One reading of all counters beside 2,000 other processes.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use unladen_probe::{GroupBy, Instrument};

use crate::crowd::{Crowd, Size, processes, started};
use crate::figures::{Series, print, three};
use crate::program::has;
use crate::{Bench, Options, Result, children};

pub(crate) const BENCH: Bench =
    Bench { name: "read", about: "one reading of all counters, with 2,000 processes there", run };

/// Time between two readings: that of a phase.
const BETWEEN: Duration = Duration::from_millis(500);

/// Which reader the others are compared with.
const USUAL: usize = 1;

/// What else is there, from calm to busy.
const CROWDS: [(&str, Size); 3] = [
    ("2,000 idle processes", Size { idle: 2_000, active: 0, new_per_second: 0 }),
    ("2,000 idle and 50 active", Size { idle: 2_000, active: 50, new_per_second: 0 }),
    ("2,000 idle, 50 active, 500 new a second", Size { idle: 2_000, active: 50, new_per_second: 500 }),
];

/// What one reading cost.
struct Cost {
    cpu: Duration,
    /// None where most of it is waiting on purpose.
    wall: Option<Duration>,
}

/// Something that reads counters of all processes.
trait Reader {
    fn name(&self) -> &'static str;
    fn read(&mut self) -> Result<Cost>;
}

fn run(options: &Options) -> Result<()> {
    for (what, size) in CROWDS {
        let crowd = Crowd::start(size)?;
        let instrument = Rc::new(RefCell::new(Instrument::open(GroupBy::Auto)?));
        let mut readers: Vec<Box<dyn Reader>> = vec![
            Box::new(Unladen { instrument: instrument.clone(), lists: true }),
            Box::new(Unladen { instrument, lists: false }),
            Box::new(Naive),
        ];
        if has("procps") {
            readers.push(Box::new(Ps));
        }
        if has("python3-psutil") {
            readers.push(Box::new(Psutil::start()?));
        }
        if has("sysstat") {
            readers.push(Box::new(Pidstat));
        }
        let (forks, begun, there) = (started()?, Instant::now(), processes()?);
        let mut cpu = vec![Series::default(); readers.len()];
        let mut wall = cpu.clone();
        for _ in 0..options.rounds_or(11) {
            for (index, reader) in readers.iter_mut().enumerate() {
                let cost = reader.read()?;
                cpu[index].push(cost.cpu.as_secs_f64() * 1e3);
                if let Some(time) = cost.wall {
                    wall[index].push(time.as_secs_f64() * 1e3);
                }
            }
        }
        let new = (started()? - forks) as f64 / begun.elapsed().as_secs_f64();
        drop(crowd);
        println!("\n{what} ({there} processes in /proc; {} started a second, by everyone)", three(new));
        let row = |index: usize| {
            vec![
                readers[index].name().to_owned(),
                cpu[index].to_string(),
                wall[index].to_string(),
                cpu[index].over(&cpu[USUAL]).to_string(),
            ]
        };
        let rows: Vec<_> = (0..readers.len()).map(row).collect();
        print(&["reader", "CPU ms", "wall ms", "CPU, ratio to unladen"], &rows);
    }
    Ok(())
}

fn own_cpu() -> Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?.into())
}

/// All of Unladen's probes, as `weigh` reads them: half a second after the reading before. Most readings do not list
/// /proc; one in sixteen does, and one after a longer time.
struct Unladen {
    instrument: Rc<RefCell<Instrument>>,
    lists: bool,
}

/// After this long /proc is listed at the next two readings.
const LISTS_AFTER: Duration = Duration::from_millis(2_100);

impl Unladen {
    fn timed(&self) -> Result<Cost> {
        let mut instrument = self.instrument.borrow_mut();
        std::thread::sleep(BETWEEN);
        let (cpu, begun) = (instrument.own_cpu(), Instant::now());
        instrument.read()?;
        Ok(Cost { cpu: instrument.own_cpu() - cpu, wall: Some(begun.elapsed()) })
    }
}

impl Reader for Unladen {
    fn name(&self) -> &'static str {
        if self.lists { "unladen, 1 reading in 16" } else { "unladen (all probes)" }
    }

    /// The one that lists comes first, in a pair of which the first begins the half second.
    fn read(&mut self) -> Result<Cost> {
        if self.lists {
            std::thread::sleep(LISTS_AFTER);
            self.instrument.borrow_mut().read()?;
        }
        self.timed()
    }
}

/// stat, status and io of each process, read and not even parsed.
struct Naive;

impl Reader for Naive {
    fn name(&self) -> &'static str {
        "stat, status, io of each"
    }

    fn read(&mut self) -> Result<Cost> {
        let (cpu, begun) = (own_cpu()?, Instant::now());
        let mut bytes = 0;
        for entry in std::fs::read_dir("/proc")? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name.as_encoded_bytes()[0].is_ascii_digit()) {
                for file in ["stat", "status", "io"] {
                    // Processes end at any time.
                    bytes += std::fs::read(path.join(file)).map_or(0, |content| content.len());
                }
            }
        }
        std::hint::black_box(bytes);
        Ok(Cost { cpu: own_cpu()? - cpu, wall: Some(begun.elapsed()) })
    }
}

/// `ps`, started anew for each reading as one does.
struct Ps;

impl Reader for Ps {
    fn name(&self) -> &'static str {
        "ps -eo (procps)"
    }

    fn read(&mut self) -> Result<Cost> {
        let ran = children::run(Command::new("ps").args(["-eo", "pid,ppid,user,comm,cputimes,min_flt,maj_flt,nlwp"]))?;
        Ok(Cost { cpu: ran.cpu, wall: Some(ran.wall) })
    }
}

/// `pidstat`, which reads everything twice, a second apart.
struct Pidstat;

impl Reader for Pidstat {
    fn name(&self) -> &'static str {
        "pidstat -h -r -u -d -w 1 1, half"
    }

    fn read(&mut self) -> Result<Cost> {
        let ran = children::run(Command::new("pidstat").args(["-h", "-r", "-u", "-d", "-w", "1", "1"]))?;
        Ok(Cost { cpu: ran.cpu / 2, wall: None })
    }
}

/// psutil in a Python that runs on, told through a pipe when to read.
struct Psutil {
    child: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// Prints the CPU and wall time of one reading in ns for each line.
const PSUTIL: &str = "
import psutil, sys, time
attrs = ['pid', 'ppid', 'name', 'username', 'cpu_times', 'num_ctx_switches', 'io_counters']
for line in sys.stdin:
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    seen = [p.info for p in psutil.process_iter(attrs)]
    print(time.process_time_ns() - cpu, time.perf_counter_ns() - wall, flush=True)
";

impl Psutil {
    fn start() -> Result<Self> {
        // Debian's Python, for which Debian's psutil is.
        let mut child = Command::new("/usr/bin/python3")
            .args(["-c", PSUTIL])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let ask = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("python3 has no output")?);
        let mut psutil = Self { child, ask, answers };
        // The first looks at more.
        psutil.read()?;
        Ok(psutil)
    }
}

impl Reader for Psutil {
    fn name(&self) -> &'static str {
        "psutil process_iter"
    }

    fn read(&mut self) -> Result<Cost> {
        self.ask.as_mut().ok_or("python3 has no input")?.write_all(b"\n")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let (cpu, wall) = line.trim().split_once(' ').ok_or("psutil did not answer")?;
        Ok(Cost { cpu: Duration::from_nanos(cpu.parse()?), wall: Some(Duration::from_nanos(wall.parse()?)) })
    }
}

impl Drop for Psutil {
    fn drop(&mut self) {
        self.ask = None;
        // It has ended, or it is about to.
        let _ = self.child.wait();
    }
}
