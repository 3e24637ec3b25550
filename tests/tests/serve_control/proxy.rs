//! The principal type is [`Proxy`]: `unladen serve` of one upstream, and the processes that take over from it.

use std::ffi::OsString;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use unladen_tests::{Succession, binary, copy_binary};

/// `unladen serve` of one upstream.
pub struct Proxy {
    serve: Succession,
    program: PathBuf,
}

/// How it is to be started.
pub struct Start {
    env: Vec<(&'static str, OsString)>,
    script: Option<&'static str>,
}

impl Start {
    pub fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// A script that ends in `exec "$@"`.
    pub fn through_shell(mut self, script: &'static str) -> Self {
        self.script = Some(script);
        self
    }
}

impl Proxy {
    /// With this configuration; up when it serves at all of its addresses.
    pub fn start(config: &str) -> Self {
        Self::start_as_it_is(config, |start| start).up()
    }

    /// The same, of a copy of the program in its folder.
    pub fn start_copy(config: &str) -> Self {
        let serve = Succession::new();
        let program = serve.path("unladen");
        copy_binary(&program);
        Self { serve, program }.begin(config, |start| start, Stdio::null(), Stdio::null()).up()
    }

    /// Does not wait for anything.
    pub fn start_as_it_is(config: &str, how: impl FnOnce(Start) -> Start) -> Self {
        Self::new().begin(config, how, Stdio::null(), Stdio::null())
    }

    /// With these as its standard input and output, through a script that knows `NAMES`.
    pub fn start_with(config: &str, stdin: Stdio, stdout: OwnedFd, script: &'static str, names: &str) -> Self {
        let how = |start: Start| start.through_shell(script).env("NAMES", names);
        Self::new().begin(config, how, stdin, Stdio::from(stdout))
    }

    fn new() -> Self {
        Self { serve: Succession::new(), program: binary().to_owned() }
    }

    fn begin(self, config: &str, how: impl FnOnce(Start) -> Start, stdin: Stdio, stdout: Stdio) -> Self {
        self.serve.write(config);
        let Start { env, script } = how(Start { env: Vec::new(), script: None });
        let mut command = self.serve.command(&self.program, script);
        command.envs(env).stdin(stdin).stdout(stdout);
        self.serve.start(command);
        self
    }

    fn up(self) -> Self {
        self.wait_until_it_serves();
        self
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Asks it to stop, and waits until it has, with nothing to complain of; and so have those before it.
    #[track_caller]
    pub fn stop(&self) {
        self.serve.stop();
        self.serve.ended(0);
    }
}

impl Deref for Proxy {
    type Target = Succession;

    fn deref(&self) -> &Succession {
        &self.serve
    }
}
