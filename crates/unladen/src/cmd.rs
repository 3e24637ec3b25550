//! The commands, one file each.

mod agent;
mod bill;
mod classmap;
mod completions;
mod doctor;
mod explain;
mod fail_on;
mod fix;
mod keeping;
mod load;
mod man;
mod mistakes;
mod profile;
mod prove;
mod purge;
mod reading;
mod rules;
mod runs;
mod schema;
mod sending;
mod serve;
mod showing;
mod typed;
mod values;
mod weigh;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{CommandFactory, Parser, Subcommand};
use unladen_agent::Program;
use unladen_load::LoadError;
use unladen_publish::visible_lines;

use crate::exit::Failure;
use crate::interrupt;
use crate::terminal::{self, Colour};

/// Weighs what each request of a web application carries.
#[derive(Debug, Parser)]
#[command(
    name = "unladen",
    version,
    long_version = built(),
    about,
    propagate_version = true,
    after_help = "`unladen help COMMAND` lists all options of a command, with examples; `unladen man COMMAND` \
                  shows the same as a manual page, with the exit codes."
)]
pub(crate) struct Cli {
    /// When to use colours: on a terminal (unless NO_COLOR is set), always, or never
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Colour::Auto, hide_possible_values = true, display_order = 900)]
    color: Colour,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Weigh(Box<weigh::Args>),
    Bill(Box<bill::Args>),
    Load(Box<load::Args>),
    Prove(Box<prove::Args>),
    Profile(Box<profile::Args>),
    Classmap(Box<classmap::Args>),
    Serve(serve::Args),
    Purge(purge::Args),
    Fix(Box<fix::Args>),
    Runs(Box<runs::Args>),
    Rules(rules::Args),
    Explain(explain::Args),
    Doctor(doctor::Args),
    Schema(schema::Args),
    Agent(agent::Args),
    Completions(completions::Args),
    Man(man::Args),
}

pub(crate) fn run() -> ExitCode {
    unladen_load::name_services::settle();
    interrupt::survive_file_limit();
    let cli = match mistakes::parse::<Cli>(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    terminal::set_colour(cli.color);
    let typed = typed::words(&Cli::command(), std::env::args_os());
    let done = match cli.command {
        Command::Weigh(args) => weigh::run(*args, &typed),
        Command::Bill(args) => bill::run(*args, &typed),
        Command::Load(args) => load::run(*args, &typed),
        Command::Prove(args) => prove::run(*args, &typed),
        Command::Profile(args) => profile::run(*args, &typed),
        Command::Classmap(args) => classmap::run(*args, &typed),
        Command::Serve(args) => serve::run(&args),
        Command::Purge(args) => purge::run(args, &typed),
        Command::Fix(args) => fix::run(*args, &typed),
        Command::Runs(args) => runs::run(*args),
        Command::Rules(args) => rules::run(&args, &typed),
        Command::Explain(args) => explain::run(&args),
        Command::Doctor(args) => doctor::run(&args, &typed),
        Command::Schema(args) => schema::run(&args),
        Command::Agent(args) => agent::run(&args),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&failure);
            failure.code().into()
        }
    }
}

/// What `--version` prints after the name; `-V` prints the version alone.
fn built() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| Program::this("unladen", cfg!(feature = "ebpf")).to_string());
    program.strip_prefix("unladen ").unwrap_or(program)
}

/// One line with what happened and what to do; an unexpected response follows it.
fn report(failure: &Failure) {
    // Standard error may be a file on a full disk; the exit code says it too.
    let mut stderr = std::io::stderr();
    let _ = writeln!(stderr, "unladen: {}", visible_lines(&failure.to_string()));
    let error = match failure {
        Failure::Load(error) => error,
        Failure::Arm { error, .. } => error,
        _ => return,
    };
    if let LoadError::UnexpectedStatus { sample, .. } | LoadError::UnexpectedBody { sample, .. } = error {
        let _ = writeln!(stderr, "\n{sample}");
    }
}
