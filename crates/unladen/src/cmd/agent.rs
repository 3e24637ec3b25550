//! `unladen agent`: the remote end of a session that another `unladen` started.

use unladen_agent::Hello;

use crate::exit::Failure;
use crate::output;

/// Serve another `unladen` on stdin and stdout: send it this host's counters, or load from here
///
/// `unladen weigh --host` and `unladen load --from` start it, with any command that reaches this host. It opens no
/// port, and ends when its pipe closes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples, on another host:
  unladen weigh https://shop.example/ --host db='ssh db1' --host web='docker exec -i web'
  unladen load https://shop.example/ --rate 20000 --from 'ssh gen1' --from 'ssh gen2'

docs/reference/agent.md, in share/doc/unladen or the source, describes what it may see, and its protocol.")]
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
