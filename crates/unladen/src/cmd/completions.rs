//! `unladen completions`: for the user's shell.

use clap::Command;
use clap_complete::Shell;

use crate::exit::Failure;
use crate::output;

/// Print completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: unladen completions bash > /etc/bash_completion.d/unladen")]
pub(super) struct Args {
    /// Which shell
    shell: Shell,
}

pub(super) fn run(args: &Args, mut root: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut root, "unladen", &mut script);
    Ok(output::bytes(&script)?)
}
