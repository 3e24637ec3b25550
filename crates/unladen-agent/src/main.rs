//! The agent as its own program, for copying to other hosts: `unladen agent` of the whole program does the same.
#![forbid(unsafe_code)]

use std::io::Write as _;
use std::process::ExitCode;

use unladen_agent::{Hello, Program};

/// Exit status of any wrong command line of `unladen`.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    unladen_load::name_services::settle();
    // `unladen agent` and `unladen-agent agent` do the same.
    let words: Vec<String> = std::env::args().skip(1).skip_while(|word| word == "agent").collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => unladen_agent::run(),
        ["--protocol"] => writeln!(std::io::stdout(), "{}", Hello::own().line()).map_err(|error| error.to_string()),
        ["-V"] => writeln!(std::io::stdout(), "unladen-agent {}", env!("CARGO_PKG_VERSION"))
            .map_err(|error| error.to_string()),
        ["--version"] => {
            let program = Program::this("unladen-agent", cfg!(feature = "ebpf"));
            writeln!(std::io::stdout(), "{program}").map_err(|error| error.to_string())
        }
        _ => {
            let _ = writeln!(
                std::io::stderr(),
                "unladen-agent: started by `unladen weigh --host` and `unladen load --from`; its only options are \
                 --protocol and --version"
            );
            return USAGE.into();
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "unladen-agent: {error}");
            ExitCode::FAILURE
        }
    }
}
