//! The principal type is [`Exporter`]: one of Debian's exporters, and what `weigh` makes of what it tells.

use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::call::Call;
use crate::document::Document;
use crate::port::free_port;
use crate::wait;

/// A program of Debian's that tells metrics at a port of its own. It ends with the test.
#[derive(Debug)]
pub struct Exporter {
    child: Child,
    port: u16,
}

impl Exporter {
    /// `listen` is the option that stands before the address.
    ///
    /// # Panics
    /// If Debian's package is missing (`scripts/test` installs it), or it does not come up.
    pub fn start(program: &str, listen: &str, args: &[&str], env: &[(&str, &str)]) -> Self {
        let port = free_port();
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", program]).arg(format!("{listen}=127.0.0.1:{port}"));
        command.args(args).envs(env.iter().copied());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let exporter = Self { child: child.expect("Debian's exporters are installed (scripts/test)"), port };
        wait::until_ok("the exporter listens", || TcpStream::connect(("127.0.0.1", exporter.port)));
        exporter
    }

    /// As `--exporter` has it.
    pub fn named(&self, name: &str) -> String {
        format!("{name}=http://127.0.0.1:{}/metrics", self.port)
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        // It has ended already, or ends now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// More than a run takes at most: ten minutes, after a minute or so in which exporters are watched.
const LIMIT: Duration = Duration::from_secs(800);
/// What it ends with where exporters answer so late that a run would take longer than that.
const TOO_LATE: i32 = 5;

/// Weighs a page with these exporters, for as long as it takes: on a busy machine exporters answer late, and phases
/// become longer. Exporters that were watched at a moment when they answered too late for any run are watched once more.
pub fn weigh(url: &str, exporters: &[&str], budget: &[&str]) -> Document {
    let call = || {
        let exporters = exporters.iter().flat_map(|exporter| ["--exporter", exporter]);
        Call::weigh(["--no-findings", "--json", url]).args(budget).args(exporters).within(LIMIT)
    };
    let first = call().run();
    let done = if first.code == Some(TOO_LATE) { call().run() } else { first };
    done.succeeded().document()
}

/// The only row of a series; its name begins so.
///
/// # Panics
/// If there is none, or several.
pub fn series<'a>(document: &'a Document, begin: &str) -> &'a Value {
    let mut rows = document
        .list("weights")
        .iter()
        .filter(|row| row["group"].as_str().is_some_and(|group| group.starts_with(begin)));
    let row = rows.next().unwrap_or_else(|| panic!("nothing of {begin} in {document}"));
    assert!(rows.next().is_none(), "several of {begin} in {document}");
    row
}

/// Asserts that it follows, and that its interval holds what each request adds.
pub fn adds(document: &Document, begin: &str, expected: f64) {
    let row = series(document, begin);
    let number = |name: &str| row[name].as_f64().unwrap();
    assert_eq!(row["follows"], true, "{row}");
    let (low, high) = (number("low"), number("high"));
    // Whole counts are exact: an interval that is a point is not to fail by rounding.
    assert!(low <= expected * 1.02 && high >= expected * 0.98, "{expected}: {row}");
    assert!((number("per_request") - expected).abs() < expected * 0.2, "{expected}: {row}");
}
