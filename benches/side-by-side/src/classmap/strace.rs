//! The principal type is [`Check`]: a process asks the kernel about a path. [`checks`] has strace write them down.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::{Result, children};

/// The calls that ask whether a file is there, and of what kind it is.
const CALLS: &str = "trace=stat,lstat,newfstatat,statx,access,faccessat,faccessat2,readlink,readlinkat";

const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) path: String,
    pub(super) there: bool,
}

/// What these processes ask while `work` is done, to be written into `log`.
pub(super) fn checks(processes: &[u32], log: &Path, work: impl FnOnce() -> Result<()>) -> Result<Vec<Check>> {
    let mut command = children::tied("strace");
    // Long paths are to be whole.
    command.args(["-f", "-s", "4096", "-e", CALLS, "-o"]).arg(log);
    for process in processes {
        command.args(["-p", &process.to_string()]);
    }
    let mut strace = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let done = attached(&mut strace, processes).and_then(|()| work());
    // It lets go of the processes, and ends.
    kill(Pid::from_raw(i32::try_from(strace.id())?), Signal::SIGINT)?;
    strace.wait()?;
    done?;
    Ok(fs::read_to_string(log)?.lines().filter_map(check).collect())
}

fn attached(strace: &mut Child, processes: &[u32]) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let traced = |process: &u32| {
            fs::read_to_string(format!("/proc/{process}/status"))
                .is_ok_and(|status| status.lines().any(|line| line.starts_with("TracerPid:") && !line.ends_with("\t0")))
        };
        if processes.iter().all(traced) {
            return Ok(());
        }
        if strace.try_wait()?.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err("strace cannot attach (it takes root, and a kernel that permits ptrace)".into())
}

/// `PID newfstatat(AT_FDCWD, "/path", {…}, 0) = 0`
fn check(line: &str) -> Option<Check> {
    let (call, result) = line.rsplit_once(" = ")?;
    let path = call.split('"').nth(1).filter(|path| !path.is_empty())?;
    Some(Check { path: path.to_owned(), there: !result.starts_with('-') })
}

/// Requests a page, and looks that it is answered.
pub(super) fn get(url: &str) -> Result<Vec<u8>> {
    let output = Command::new("curl").args(["-sf", "-m", "60", url]).stdin(Stdio::null()).output()?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("{url}: curl: {}", output.status).into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_strace_are_understood() {
        let there = r#"71 newfstatat(AT_FDCWD, "/a/B.php", {st_mode=S_IFREG|0644, st_size=5, ...}, 0) = 0"#;
        assert_eq!(check(there), Some(Check { path: "/a/B.php".into(), there: true }));
        let missing = r#"71 access("/a/C.php", F_OK) = -1 ENOENT (No such file or directory)"#;
        assert_eq!(check(missing), Some(Check { path: "/a/C.php".into(), there: false }));
        // Of an open file, and what strace says of itself.
        assert_eq!(check(r#"71 newfstatat(5, "", {st_mode=S_IFSOCK|0777, ...}, AT_EMPTY_PATH) = 0"#), None);
        assert_eq!(check("71 +++ exited with 0 +++"), None);
    }
}
