//! `unladen runs serve`.

use crate::cmd::runs::find::Place;
use crate::exit::Failure;
use crate::runs::{Address, Pages, browse};
use crate::say::say;
use crate::{interrupt, output};

/// Show runs in a browser on this machine: list, filter, compare, plot
///
/// Nothing is changed. The URL contains a secret, because other users of this machine can reach the port.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where to listen: a loopback address, a port, or unix:/PATH
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: Address,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let pages = Pages::new(args.place.location()?)?;
    let cancel = interrupt::on_signal()?;
    browse(pages, &args.listen, &cancel, |url| {
        // Without standard output, there are other ways to learn the URL.
        let _ = output::line(url);
        let port = url.trim_end_matches('/').rsplit(':').next().unwrap_or_default();
        if url.starts_with("http:") {
            say!("unladen: from another machine: `ssh -L {port}:127.0.0.1:{port} HOST`, and the same URL there");
        }
        say!("unladen: Ctrl-C stops it");
    })
}
