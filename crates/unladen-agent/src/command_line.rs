//! The principal function is [`run`]: this process as an agent.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;

use crate::agent::Agent;

/// Name of a copied agent in `ps` and `top`: its file has no name.
const NAME: &str = "unladen-agent";

/// Answers on stdin and stdout until they end, and then ends this process if need be.
///
/// # Errors
/// As a sentence: unusable pipes, or the session's error.
pub fn run() -> Result<(), String> {
    if io::stdin().is_terminal() || io::stdout().is_terminal() {
        return Err(
            "an agent speaks frames on stdin and stdout, which are a terminal here: `unladen weigh --host` and \
                    `unladen load --from` start it and speak to it"
                .to_owned(),
        );
    }
    // Without permission, it keeps its name.
    let _ = std::fs::write("/proc/self/comm", NAME);
    let own = |fd: io::Result<std::os::fd::OwnedFd>| fd.map(File::from).map_err(|error| error.to_string());
    let input = own(io::stdin().as_fd().try_clone_to_owned())?;
    let output = own(io::stdout().as_fd().try_clone_to_owned())?;
    Agent::new(input, output, || std::process::exit(0)).run().map_err(|error| error.to_string())
}
