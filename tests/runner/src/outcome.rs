//! The principal type is [`Outcome`]: what came of running a test program.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::cpu::Cpu;
use crate::kind::Kind;
use crate::program::Program;

/// Far above what any program takes: one that is not done by then hangs.
const LIMIT: Duration = Duration::from_secs(20 * 60);
/// So many tests run at a time for each core, where a program says that its tests wait.
const WAITING: usize = 2;

/// What came of running a test program, or the doc-tests.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// None: the doc-tests.
    pub(crate) program: Option<Program>,
    pub(crate) time: Duration,
    /// Of processors, with what it started and waited for.
    pub(crate) cpu: Duration,
    pub(crate) is_good: bool,
    /// Standard output and standard error, as they came.
    pub(crate) output: String,
}

/// Numbers of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) ignored: usize,
    /// That said so themselves: they count as passed, too.
    pub(crate) skipped: usize,
}

impl Outcome {
    /// Runs a program to its end, or these of its tests only.
    pub(crate) fn of(program: Program, tests: &[String]) -> Self {
        let mut command = Command::new(&program.executable);
        if !tests.is_empty() {
            command.arg("--exact").args(tests);
        }
        command.current_dir(&program.folder);
        command.env("CARGO_MANIFEST_DIR", &program.folder).env("UNLADEN_BINARY", &program.unladen);
        // Whoever measures beside it is to have the processors.
        if program.waits && program.kind == Kind::Independent {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            command.env("RUST_TEST_THREADS", (cores * WAITING).to_string());
        }
        let ran = run(command, &log(&program));
        Self { program: Some(program), ..ran }
    }

    /// Runs a command that tests what is no program.
    pub(crate) fn of_command(command: Command) -> Self {
        run(command, &std::env::temp_dir().join(format!("doctests-{}", std::process::id())))
    }

    pub(crate) fn name(&self) -> String {
        self.program.as_ref().map_or_else(|| "doc-tests".to_owned(), Program::full_name)
    }

    /// The tests that failed, as the list at the end names them. None of them, and it is not good: it broke off.
    pub(crate) fn failed(&self) -> Vec<String> {
        let Some((_, list)) = self.output.rsplit_once("\nfailures:\n") else { return Vec::new() };
        list.lines().map_while(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
    }

    /// What a failed test said.
    pub(crate) fn said_by(&self, test: &str) -> Option<&str> {
        let begin = self.output.find(&format!("---- {test} stdout ----"))?;
        let said = &self.output[begin..];
        let end = said[1..].find("\n---- ").or_else(|| said.find("\nfailures:\n")).map_or(said.len(), |end| end + 1);
        Some(said[..end].trim_end())
    }

    /// The sum of all its results.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for line in self.output.lines() {
            counts.skipped += usize::from(line.starts_with("SKIPPED: "));
            let Some(numbers) = line.strip_prefix("test result: ") else { continue };
            let number = |what: &str| {
                let before = numbers.split(';').find_map(|part| part.trim().strip_suffix(what)).unwrap_or_default();
                before.trim().rsplit(' ').next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(0)
            };
            counts.passed += number(" passed");
            counts.failed += number(" failed");
            counts.ignored += number(" ignored");
        }
        counts
    }
}

/// A file takes the output: a server that a test leaves behind would keep a pipe open.
fn log(program: &Program) -> PathBuf {
    program.executable.with_extension("log")
}

/// Of no program yet.
fn run(mut command: Command, log: &Path) -> Outcome {
    let begun = Instant::now();
    let _ = std::fs::remove_file(log);
    let ran = File::options().create(true).read(true).append(true).open(log).and_then(|mut file| {
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
        let end = wait(command.spawn()?, begun)?;
        let mut output = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut output)?;
        Ok((end, output))
    });
    let _ = std::fs::remove_file(log);
    match ran {
        Ok((end, output)) => {
            let mut output = String::from_utf8_lossy(&output).into_owned();
            if let Some(why) = end.why {
                output += &format!("\nerror: {why}\n");
            }
            Outcome { program: None, time: begun.elapsed(), cpu: end.cpu, is_good: end.is_good, output }
        }
        Err(error) => {
            let output = format!("error: {command:?}: {error}\n");
            Outcome { program: None, time: begun.elapsed(), cpu: Duration::ZERO, is_good: false, output }
        }
    }
}

/// How a program ended.
struct End {
    is_good: bool,
    /// What else there is to say of it.
    why: Option<String>,
    cpu: Duration,
}

fn wait(mut child: Child, begun: Instant) -> std::io::Result<End> {
    let mut cpu = Duration::ZERO;
    loop {
        // Once it is waited for, its times are told no more.
        let told = Cpu::of(child.id());
        cpu = told.map_or(cpu, |told| told.time);
        if told.is_none_or(|told| told.has_ended)
            && let Some(status) = child.try_wait()?
        {
            // 101 is how libtest says that a test failed, which it has told already.
            let why = (!status.success() && status.code() != Some(101)).then(|| format!("it broke off: {status}"));
            return Ok(End { is_good: status.success(), why, cpu });
        }
        if begun.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            let why = format!("it did not end within {} s and was killed", LIMIT.as_secs());
            return Ok(End { is_good: false, why: Some(why), cpu });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests;
