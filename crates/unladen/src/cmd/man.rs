//! `unladen man`: the manual pages, of the commands and of the file that `serve` reads.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::Stdio;

use clap::Command;
use clap_mangen::Man;

use crate::exit::Failure;
use crate::output;

/// Show the manual page of `unladen`, of one command or of unladen.toml, or write all pages into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  unladen man load
  unladen man unladen.toml      # all keys of `serve`
  unladen man --output /usr/local/share/man/man1")]
pub(super) struct Args {
    /// The command to describe, such as `load` or `profile diff`; or unladen.toml
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Vec<String>,
    /// Write unladen.1, unladen-weigh.1 … into this folder, and unladen.toml.5 (into man5 beside a folder man1); - is
    /// standard output
    #[arg(long, short, alias = "out", value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Meanings of the exit codes, in all pages; docs/reference/exit-codes.md says more.
const EXIT_STATUS: [(&str, &str); 14] = [
    ("0", "success"),
    ("2", "wrong options, URLs or files"),
    ("3", "the target could not be reached (name, connection, TLS, time-out)"),
    ("4", "the target gave an unexpected answer"),
    ("5", "the requested measurement is not possible"),
    ("6", "the result could not be written"),
    ("7", "the system's counters could not be read"),
    ("8", "a condition of --fail-on holds, no rate holds the limit of --find-capacity, or a class map is out of date"),
    ("9", "an experiment could not switch something"),
    ("10", "an experiment could not put something back"),
    ("11", "serving could not start, or had to end"),
    ("12", "not all nodes of a fleet that were waited for have confirmed a purge"),
    ("13", "`unladen doctor`: something is missing that a command needs"),
    ("130", "interrupted"),
];

/// The page of the file that `serve` reads.
const SETTINGS: &str = "unladen.toml.5";

struct Page {
    file: String,
    text: Vec<u8>,
}

pub(super) fn run(args: &Args, root: Command) -> Result<(), Failure> {
    let pages = pages(root);
    match args.output.as_deref().filter(|folder| !output::is_stdout(folder)) {
        Some(folder) => {
            let write = |page: &Page| {
                let mut folder = folder.to_owned();
                if page.file == SETTINGS && folder.ends_with("man1") {
                    folder.set_file_name("man5");
                    // If it is neither there nor can be made, writing the page says so.
                    let _ = std::fs::create_dir(&folder);
                }
                output::whole_file(&folder.join(&page.file), |out| out.write_all(&page.text))
            };
            Ok(pages.iter().try_for_each(write)?)
        }
        None => {
            let is_settings = args.command == ["unladen.toml"];
            let file = ["unladen"].into_iter().chain(args.command.iter().map(String::as_str)).collect::<Vec<_>>();
            let file = if is_settings { SETTINGS.to_owned() } else { file.join("-") + ".1" };
            let Some(page) = pages.iter().find(|page| page.file == file) else {
                let names: Vec<_> = pages.iter().map(|page| page.file.trim_end_matches(['.', '1', '5'])).collect();
                return Err(Failure::Usage(format!(
                    "there is no manual page for `{}`; there are pages for {}",
                    args.command.join(" "),
                    names.join(", ")
                )));
            };
            if args.output.is_none() && io::stdout().is_terminal() && is_read(&page.text) {
                return Ok(());
            }
            Ok(output::bytes(&page.text)?)
        }
    }
}

/// On a terminal `man` shows the page; whether it could.
fn is_read(page: &[u8]) -> bool {
    let man = std::process::Command::new("man").args(["-l", "-"]).stdin(Stdio::piped()).spawn();
    man.is_ok_and(|mut man| {
        // The reader may leave before the end.
        let _ = man.stdin.take().map(|mut stdin| stdin.write_all(page));
        man.wait().is_ok_and(|status| status.success())
    })
}

fn pages(root: Command) -> Vec<Page> {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    collect(&root, "unladen", None, &mut pages);
    pages.push(Page { file: SETTINGS.to_owned(), text: settings().into_bytes() });
    pages
}

fn collect(command: &Command, name: &str, parent: Option<&str>, pages: &mut Vec<Page>) {
    let commands: Vec<&Command> = command.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    let below = commands.iter().map(|command| format!("{name}-{}", command.get_name()));
    let mut related: Vec<String> = parent.map(str::to_owned).into_iter().chain(below).collect();
    if parent.is_some() {
        related.push("unladen-rules".to_owned());
    }
    related.retain(|other| other != name);
    related.dedup();
    // Writing into a Vec does not fail.
    let text = page(command, name, &related).unwrap_or_default();
    pages.push(Page { file: format!("{name}.1"), text });
    for command in commands {
        collect(command, &format!("{name}-{}", command.get_name()), Some(name), pages);
    }
}

fn page(command: &Command, name: &str, related: &[String]) -> io::Result<Vec<u8>> {
    // Under the name that `man` is asked for, and without the examples, which would be filled like prose.
    let titled = command.clone().display_name(name.to_owned());
    let man = Man::new(titled).title(name.to_uppercase()).source(concat!("unladen ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut text)?;
    }
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(extra) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        text.extend_from_slice(blocks(&extra.to_string()).as_bytes());
    }
    let mut ends = String::from(".SH \"EXIT STATUS\"\n");
    for (code, meaning) in EXIT_STATUS {
        // Writing to a String does not fail.
        let _ = writeln!(ends, ".TP\n{code} \n{}", roff(meaning));
    }
    ends.push_str(".SH \"SEE ALSO\"\n");
    let related: Vec<_> = related.iter().map(|other| format!("\\fB{}\\fR(1)", roff(other))).collect();
    let _ = writeln!(ends, "{}", related.join(",\n"));
    text.extend_from_slice(ends.as_bytes());
    Ok(text)
}

/// All keys of a configuration of `serve`, with their defaults.
fn settings() -> String {
    let mut text = format!(
        ".TH UNLADEN.TOML 5 \"\" \"unladen {}\"\n.SH NAME\nunladen.toml \\- configuration of unladen serve\n.SH DESCRIPTION\n{}\n",
        env!("CARGO_PKG_VERSION"),
        roff(
            "All keys of the file that `unladen serve` reads, in TOML. `unladen serve FILE --check` finds mistakes, and \
             `unladen serve FILE --explain` prints each value and where it comes from. `[defaults]` has \
             the values of each `[[outbound]]` that does not set its own; it does not apply to a `[[site]]`. Durations \
             are strings with a unit (\"250ms\"), sizes are bytes or \"64KiB\", shares are 0.2 or \"20%\". \
             docs/reference/serve.md describes how the tables work together."
        )
    );
    for (heading, keys) in unladen_serve_config::reference() {
        // Writing to a String does not fail.
        let _ = writeln!(text, ".SH \"{}\"", roff(&heading));
        for key in keys {
            let default = match (key.default, key.why) {
                (_, "") => "Required.".to_owned(),
                (Some(default), why) => format!("Default: {default}: {why}."),
                (None, why) => format!("Default: {why}."),
            };
            let [name, form, about, default] = [key.name, key.form, key.about, &default].map(roff);
            let _ = writeln!(text, ".TP\n\\fB{name}\\fR = {form}\n{about}.\n.br\n{default}");
        }
    }
    text.push_str(".SH \"SEE ALSO\"\n\\fBunladen\\-serve\\fR(1)\n");
    text
}

/// The text after the options: a paragraph whose first line ends in a colon, `Examples:`, heads a section whose lines,
/// and those of the indented paragraphs after it, stay as they are.
fn blocks(extra: &str) -> String {
    let mut text = String::new();
    let mut is_block = false;
    for paragraph in extra.trim_end().split("\n\n") {
        if is_block && paragraph.lines().all(|line| line.starts_with(' ')) {
            text.push('\n');
            paragraph.lines().for_each(|line| text.push_str(&(roff(line) + "\n")));
            continue;
        }
        if is_block {
            text.push_str(".fi\n");
        }
        let mut lines = paragraph.lines().peekable();
        let head = lines.next_if(|line| line.ends_with(':') && !line.starts_with(' '));
        match head {
            Some(head) => {
                let _ = writeln!(text, ".SH {:?}", head.trim_end_matches(':').to_uppercase());
            }
            // `Example: unladen …`, or a sentence.
            None => text.push_str(if text.is_empty() { ".SH NOTES\n" } else { ".PP\n" }),
        }
        is_block = head.is_some();
        if is_block {
            text.push_str(".nf\n");
        }
        for line in lines {
            let _ = writeln!(text, "{}", roff(line));
        }
    }
    if is_block {
        text.push_str(".fi\n");
    }
    text
}

fn roff(line: &str) -> String {
    let escaped = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    if escaped.starts_with('.') { format!("\\&{escaped}") } else { escaped }
}

#[cfg(test)]
mod tests;
