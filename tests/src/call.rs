//! The principal type is [`Call`]: one call of the program, which ends within a time limit.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::binary::binary;
use crate::document::Document;
use crate::output::Output;
use crate::schema;

/// Far above what any call of the tests takes: what is not done by then hangs.
const LIMIT: Duration = Duration::from_secs(180);

/// What it ends with where phases are too short for the page, or the time for so many of them.
const TOO_SHORT: i32 = 5;
/// So often phases are made longer: eight times as long as they were.
const LONGER: usize = 3;

/// A call to be made.
#[derive(Debug)]
pub struct Call {
    through: Vec<OsString>,
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    stdout: Option<File>,
    limit: Duration,
}

/// A call under way. It is killed when this is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    started: Instant,
    limit: Duration,
    shown: String,
    stdout: Option<Output>,
    stderr: Option<Output>,
}

/// A call that has ended.
#[derive(Debug)]
pub struct Done {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    shown: String,
}

impl Call {
    /// `unladen` with these arguments.
    pub fn new<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        let call = Self {
            through: Vec::new(),
            program: binary().into(),
            args: Vec::new(),
            // A test leaves nothing in its user's store.
            env: vec![("UNLADEN_STORE".into(), "off".into())],
            stdout: None,
            limit: LIMIT,
        };
        call.args(args)
    }

    /// `unladen weigh` with these arguments, and otherwise as it is.
    pub fn weigh<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::new(["weigh"]).args(args)
    }

    /// `unladen load` with these arguments, and otherwise as it is.
    pub fn load<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::new(["load"]).args(args)
    }

    /// `unladen prove` with these arguments, and otherwise as it is.
    pub fn prove<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::new(["prove"]).args(args)
    }

    /// A run of ten blocks in two seconds, for pages that take a millisecond. Phases have a fixed length, as the one that
    /// is chosen depends on what else the machine has to do.
    pub fn quick<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::weigh(["--no-findings", "--time", "2s", "--phase", "50ms", "--settle", "10ms"]).args(args)
    }

    /// A run of blocks of 400 ms for such a time. It only weighs: what is inside requests has tests of its own.
    pub fn lasting<S: AsRef<OsStr>>(time: &str, args: impl IntoIterator<Item = S>) -> Self {
        Self::weigh(["--no-findings", "--time", time, "--phase", "100ms", "--settle", "20ms"]).args(args)
    }

    /// With further arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// With another limit, for what restarts a large application some twenty times.
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// With an environment variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Another copy of the program.
    pub fn program(mut self, program: impl AsRef<OsStr>) -> Self {
        self.program = program.as_ref().to_owned();
        self
    }

    /// Started by a command that ends in the program and its arguments, such as `setpriv --reuid=65534`.
    pub fn through<S: AsRef<OsStr>>(mut self, command: impl IntoIterator<Item = S>) -> Self {
        self.through.extend(command.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    /// Started by a shell script that ends in `exec "$@"` or the like.
    pub fn through_shell(self, script: &str) -> Self {
        self.through(["bash", "-c", script, "bash"])
    }

    /// With this file as its standard output.
    pub fn stdout(mut self, file: File) -> Self {
        self.stdout = Some(file);
        self
    }

    /// Starts it.
    pub fn start(self) -> Running {
        let mut words = self.through.clone();
        words.push(self.program);
        words.extend(self.args);
        let shown = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs(self.env).stdin(Stdio::null()).stderr(Stdio::piped());
        command.stdout(self.stdout.map_or_else(Stdio::piped, Stdio::from));
        let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {shown}: {error}"));
        Running {
            stdout: child.stdout.take().map(Output::new),
            stderr: child.stderr.take().map(Output::new),
            started: Instant::now(),
            limit: self.limit,
            shown,
            child,
        }
    }

    /// Runs it to its end.
    pub fn run(self) -> Done {
        self.start().wait()
    }

    /// Runs it to its end, which has to be a good one, and reads the JSON on its standard output. Where its phases turn
    /// out to be too short for how slow the machine is at the time, it runs again with longer ones.
    pub fn document(self) -> Document {
        let mut call = self.args(["--json"]);
        for _ in 0..LONGER {
            let done = call.again().run();
            if done.code != Some(TOO_SHORT) || !call.lengthen() {
                return done.succeeded().document();
            }
        }
        call.run().succeeded().document()
    }

    /// The same once more.
    fn again(&self) -> Self {
        let Self { through, program, args, env, stdout, limit } = self;
        assert!(stdout.is_none(), "what it writes is read");
        let (through, program, args) = (through.clone(), program.clone(), args.clone());
        Self { through, program, args, env: env.clone(), stdout: None, limit: *limit }
    }

    /// Makes phases twice as long, and the time with them: whether any length was said.
    fn lengthen(&mut self) -> bool {
        let is_length = |option: &OsString| option == "--phase" || option == "--time";
        let places: Vec<usize> = (1..self.args.len()).filter(|place| is_length(&self.args[place - 1])).collect();
        for place in &places {
            let text = self.args[*place].to_str().expect("a time is text");
            let unit = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
            let number: u64 = text[..text.len() - unit.len()].parse().expect("whole units");
            self.args[*place] = format!("{}{unit}", number * 2).into();
        }
        !places.is_empty()
    }

    /// The same of a run of which some requests fail, which its exit code tells.
    pub fn document_with_failures(self) -> Document {
        self.args(["--json"]).run().ended_with(4).says(["requests", "were not answered as expected"]).document()
    }
}

// === impl Running ===

impl Running {
    /// Ctrl-C.
    pub fn interrupt(&self) {
        self.signal(Signal::SIGINT);
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap_or_else(|error| panic!("{} has ended already: {error}", self.shown));
    }

    /// Its process.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("a pid is positive"))
    }

    /// Memory that it holds, in bytes, without pages of files: a test build's program is of some 200 MB, of which more is read
    /// the more it has to do, and the kernel may drop all of it.
    pub fn memory(&self) -> u64 {
        let file = format!("/proc/{}/statm", self.pid());
        let numbers = std::fs::read_to_string(file).expect("its process is there");
        let mut pages = numbers.split(' ').map(|pages| pages.parse::<u64>().expect("a number of pages"));
        let (resident, of_files) = (pages.nth(1).expect("resident"), pages.next().expect("shared"));
        (resident - of_files) * 4096
    }

    /// What it has said on standard error, if it has ended.
    pub fn end(&self) -> Option<String> {
        // Nobody waits here for its end: it stays a zombie until somebody does.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let is_over = stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['Z', 'X']));
        is_over.then(|| self.stderr.as_ref().map(Output::so_far).unwrap_or_default())
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Done {
        let status = self.wait_within_limit();
        let done = Done {
            code: status.and_then(|status| status.code()),
            stdout: self.stdout.take().map(Output::text).unwrap_or_default(),
            stderr: self.stderr.take().map(Output::text).unwrap_or_default(),
            shown: self.shown.clone(),
        };
        assert!(status.is_some(), "did not end within {:?} and was killed\n{done}", self.limit);
        // A panic is never the right answer, whatever code a test expects.
        assert!(!done.stderr.contains("panicked at"), "panicked\n{done}");
        done
    }

    fn wait_within_limit(&mut self) -> Option<ExitStatus> {
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return Some(status);
            }
            if self.started.elapsed() > self.limit {
                let _ = writeln!(std::io::stderr(), "{}", threads(self.child.id()));
                self.child.kill().expect("a child can be killed");
                self.child.wait().expect("a child can be waited for");
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// What each thread of a process that does not end is waiting for, as far as the kernel tells.
fn threads(pid: u32) -> String {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |task: std::fs::DirEntry| {
        let read = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
        format!("{}: {} {}\n{}", read("comm").trim(), read("wchan"), read("syscall").trim(), read("stack"))
    };
    tasks.map(of).collect()
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// === impl Done ===

impl Done {
    /// Asserts that it ended well.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        self.ended_with(0)
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Asserts that standard error holds each of these.
    #[track_caller]
    pub fn says<const N: usize>(self, words: [&str; N]) -> Self {
        // Warnings are wrapped; what they say is not a matter of lines.
        let said = self.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(said.contains(word), "{word:?} is not said\n{self}");
        }
        self
    }

    /// Asserts that standard error holds nothing.
    #[track_caller]
    pub fn says_nothing(self) -> Self {
        assert_eq!(self.stderr, "", "{self}");
        self
    }

    /// Asserts that standard output holds each of these, wherever lines end.
    #[track_caller]
    pub fn shows<const N: usize>(self, words: [&str; N]) -> Self {
        let shown = self.stdout.replace("\n!", "\n").split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(shown.contains(word), "{word:?} is not shown\n{self}");
        }
        self
    }

    /// Asserts that standard output holds nothing.
    #[track_caller]
    pub fn shows_nothing(self) -> Self {
        assert_eq!(self.stdout, "", "{self}");
        self
    }

    /// Reads the JSON on standard output, which has to be as its schema says.
    #[track_caller]
    pub fn document(&self) -> Document {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => {
                let wrong = schema::hold(&value);
                assert!(wrong.is_empty(), "not as `unladen schema` says:\n{}\n{self}", wrong.join("\n"));
                Document(value)
            }
            Err(error) => panic!("standard output is no JSON: {error}\n{self}"),
        }
    }
}

impl std::fmt::Display for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { code, stdout, stderr, shown } = self;
        write!(f, "$ {shown}\nexit code: {code:?}\n--- standard output\n{stdout}\n--- standard error\n{stderr}")
    }
}
