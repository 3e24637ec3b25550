use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;

/// The longest line that a terminal takes (N_TTY_BUF_SIZE of the kernel's n_tty.c): a longer one would be cut, and the
/// terminal never told of.
const TERMINAL_LINE: usize = 4095;

#[test]
fn the_script_is_one_line_that_a_terminal_takes_and_does_not_hold_its_marker() {
    let bootstrap = Bootstrap::new();
    for copy in [true, false] {
        let line = bootstrap.line(copy);
        assert_eq!(line.find('\n'), Some(line.len() - 1));
        assert!(line.len() < TERMINAL_LINE, "{}", line.len());
        assert!(!line.contains('@'), "{line}");
        assert!(!line.contains(bootstrap.marker().trim()));
    }
    assert_ne!(Bootstrap::new().marker(), bootstrap.marker());
}

/// Answers of a real shell, with a PATH that leads to these tools alone.
fn answers(tools: &[&str], copy: bool) -> Vec<Said> {
    let folder = tempfile::tempdir().unwrap();
    for tool in tools {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|dir| dir.join(tool))
            .find(|path| path.exists());
        std::os::unix::fs::symlink(found.unwrap(), folder.path().join(tool)).unwrap();
    }
    let bootstrap = Bootstrap::new();
    let mut shell = Command::new("/bin/sh")
        .env("PATH", folder.path())
        .env_remove("TMPDIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(bootstrap.line(copy).as_bytes()).unwrap();
    let output = String::from_utf8(shell.wait_with_output().unwrap().stdout).unwrap();
    let marker = bootstrap.marker();
    output.lines().filter_map(|line| line.strip_prefix(&marker)).map(|words| Said::parse(words).unwrap()).collect()
}

const TOOLS: &[&str] = &["chmod", "head", "mktemp", "rm", "uname", "wc"];

#[test]
fn a_host_without_an_agent_says_so_or_asks_for_one() {
    assert_eq!(answers(TOOLS, false), [Said::NoAgent(None)]);
    let said = answers(TOOLS, true);
    let Said::Need { kernel, machine, folder } = &said[0] else { panic!("{said:?}") };
    assert_eq!((kernel.as_str(), folder.as_str()), ("Linux", "/tmp"));
    assert!(!machine.is_empty());
    // The pipe ends: nothing has arrived, which is told, and the shell ends.
    assert_eq!(said[1..], [Said::Send, Said::Short("0".into(), "/tmp".into())]);
}

#[test]
fn a_missing_tool_is_named() {
    let without = |missing: &str| TOOLS.iter().copied().filter(|tool| *tool != missing).collect::<Vec<_>>();
    assert_eq!(answers(&without("head"), true), [Said::Lacks("head".into())]);
}

#[test]
fn what_is_said_is_understood_or_none() {
    assert_eq!(Said::parse("tty"), Some(Said::Terminal));
    assert_eq!(Said::parse("run /usr/bin/unladen"), Some(Said::Run("/usr/bin/unladen".into())));
    assert_eq!(Said::parse("none "), Some(Said::NoAgent(None)));
    assert_eq!(Said::parse("short 17 /my folder"), Some(Said::Short("17".into(), "/my folder".into())));
    assert_eq!(Said::parse("need Linux"), None);
    assert_eq!(Said::parse("whatever"), None);
}
