//! `unladen agent`: the remote end of a session that another `unladen` started.

use unladen_agent::Hello;

use crate::exit::Failure;
use crate::output;

/// Answer another `unladen` on stdin and stdout: counters of this host, load from it
///
/// `unladen weigh --host` and `unladen load --from` start it, by any command that leads to this host. It opens nothing,
/// listens nowhere, and ends with its pipe.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples, on another host:
  unladen weigh https://shop.example/ --host db='ssh db1' --host web='docker exec -i web'
  unladen load https://shop.example/ --rate 20000 --from 'ssh gen1' --from 'ssh gen2'

docs/reference/agent.md, in the source, says what it may see, and how it is spoken to.")]
pub(super) struct Args {
    /// Print the version of the protocol and of the program
    #[arg(long)]
    protocol: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if args.protocol {
        return Ok(output::line(&Hello::own().line())?);
    }
    unladen_agent::run().map_err(Failure::Agent)
}
