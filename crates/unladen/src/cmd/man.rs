//! `unladen man`: the manual pages.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::cmd::Cli;
use crate::exit::Failure;

/// Print the manual page, or write all pages into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: unladen man --out /usr/local/share/man/man1")]
pub(super) struct Args {
    /// Write unladen.1, unladen-weigh.1 … into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What the exit codes mean, as it stands in unladen(1); docs/exit-codes.md says more.
const EXIT_STATUS: &str = r"
.SH EXIT STATUS
0 success; 2 wrong options, URLs or files; 3 the target could not be reached (name, connection, TLS, time-out);
4 the target answered otherwise than expected; 5 what was asked for cannot be measured; 6 the result could not be
written; 7 the system's counters could not be read; 8 a limit that was asked for did not hold; 9 an experiment could not
switch something; 10 an experiment could not put something back; 11 nothing could be served, or not any longer; 130 interrupted.
";

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        // Writing into a Vec cannot fail, and a reader that has gone away wants no more of it.
        let _ = clap_mangen::Man::new(Cli::command()).render(&mut page);
        page.extend_from_slice(EXIT_STATUS.as_bytes());
        let _ = io::stdout().write_all(&page);
        return Ok(());
    };
    write_pages(folder)
        .map_err(|error| Failure::Usage(format!("cannot write manual pages into {}: {error}", folder.display())))
}

/// unladen.1 and a page for each verb.
fn write_pages(folder: &Path) -> io::Result<()> {
    clap_mangen::generate_to(Cli::command(), folder)?;
    OpenOptions::new().append(true).open(folder.join("unladen.1"))?.write_all(EXIT_STATUS.as_bytes())
}
