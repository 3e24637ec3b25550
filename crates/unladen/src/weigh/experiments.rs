//! The principal type is [`Experiments`]: a file for `unladen prove` for each finding whose fix can be switched.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use unladen_finding::{Finding, Knob, Sent, experiment, unswitched};
use unladen_load::DriverConfig;

use crate::carried::{Secrets, carried, is_secret};
use crate::exit::Failure;
use crate::output::{self, OutputError};
use crate::say::say;
use crate::weigh::options::Options;
use crate::weigh::run::Found;

const LONGEST_NAME: usize = 80;
/// Most bytes that are read of an existing file of settings.
const MOST_BYTES: u64 = 64 * 1024;
const LONGEST_COMMENT: usize = 400;

/// The folder for the files, and the requests in them.
#[derive(Debug)]
pub(crate) struct Experiments {
    folder: PathBuf,
    driver: DriverConfig,
    /// `--restart`, from any folder.
    restart: Option<String>,
}

/// A file's name, without its ending, and its text; or why there is none.
type Made = Result<(String, String), String>;

impl Experiments {
    /// Checks, before anything is measured, that files can be written into a folder, which is made if missing. Fails if
    /// they cannot, if the folder has files of an earlier run, or if no experiment can send these requests.
    pub(crate) fn new(folder: &Path, options: &Options) -> Result<Self, Failure> {
        let driver = &options.driver;
        let said = |what: &str| {
            format!(
                "--experiments: an experiment's file cannot hold {what}, so it could not repeat this \
                request"
            )
        };
        if driver.connect_to.is_some() {
            return Err(Failure::Usage(said("--unix-socket or --connect-to")));
        }
        if driver.tls.identity.is_some() {
            return Err(Failure::Usage(said("--cert")));
        }
        output::check_folder(folder)?;
        let unreadable = |source| OutputError::new(folder, source);
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            if is_ours(&name.to_string_lossy()) {
                return Err(Failure::Usage(format!(
                    "--experiments: {} contains {} of an earlier run: name another folder, or remove them",
                    folder.display(),
                    name.display()
                )));
            }
        }
        let restart = options.restart.as_ref().map(|restart| from_here(&restart.command));
        Ok(Self { folder: folder.to_owned(), driver: driver.clone(), restart })
    }

    /// Writes the files, and reports what became of each finding. Never overwrites a file. The error is that of the
    /// first that could not be written.
    pub(crate) fn write(&self, pages: &[Found]) -> Result<(), OutputError> {
        let mut number = 0;
        for (index, found) in pages.iter().enumerate() {
            let fresh = found.fresh.iter().map(|finding| (finding, true));
            for (finding, is_fresh) in found.warm.iter().map(|finding| (finding, false)).chain(fresh) {
                number += 1;
                let latency_ns = found.latency.map(|latency| latency.value.max(0.0) as u64);
                let sent = self.sent(index).map(|sent| Sent { is_fresh, latency_ns, ..sent });
                let made = sent.and_then(|sent| self.made(number, finding, sent));
                self.tell(finding, made)?;
            }
        }
        if number == 0 {
            say!("unladen: nothing was found, so no experiment was written to {}", self.folder.display());
        }
        Ok(())
    }

    fn tell(&self, finding: &Finding, made: Made) -> Result<(), OutputError> {
        match made {
            Ok((name, text)) => {
                let file = self.folder.join(format!("{name}.toml"));
                write_new(&file, &text).map_err(|source| OutputError::new(&file, source))?;
                let knob = finding.fix.knob.as_ref().map_or("", |knob| &knob.name);
                say!("unladen: {}: switches `{knob}`; unladen prove {0}", file.display());
            }
            Err(why) => {
                let of = if finding.group.is_empty() { String::new() } else { format!(" of {}", finding.group) };
                say!("unladen: no experiment for {}{of}: {why}", finding.rule);
            }
        }
        Ok(())
    }

    /// The request of a page with all that it carries, or why a file cannot contain it.
    fn sent(&self, index: usize) -> Result<Sent, String> {
        let request = self.driver.requests.get(index).ok_or("its request is not known")?;
        let all = carried(request, &self.driver, Secrets::Kept);
        if let Some(header) = all.headers.iter().find(|header| header.value.is_none()) {
            return Err(format!("the header {} is not UTF-8 text, as an experiment's file must be", header.name));
        }
        if all.body.as_ref().is_some_and(|body| body.text.is_none()) {
            return Err("the request's body is not UTF-8 text, as an experiment's file must be".into());
        }
        let pace = match self.driver.rate {
            Some(rate) => format!("rate = {rate}"),
            None => format!("concurrency = {}", self.driver.concurrency),
        };
        let sent = Sent::carrying(request.url().as_str(), request.method().as_str(), &all);
        Ok(Sent { pace, restart: self.restart.clone(), ..sent })
    }

    fn made(&self, number: usize, finding: &Finding, sent: Sent) -> Made {
        let Some(knob) = &finding.fix.knob else { return Err(unswitched(&finding.fix)) };
        let name = name_of(number, finding);
        let title = format!("{}: {} off and on", finding.rule, knob.name);
        match experiment(&head(&name, finding, &sent), &title, &name, &with_there(knob), &sent) {
            Some(text) => Ok((name, text + "\n")),
            None => Err(unswitched(&finding.fix)),
        }
    }
}

/// A command of this folder, for any other.
fn from_here(command: &str) -> String {
    match std::env::current_dir().ok().and_then(|here| here.to_str().map(str::to_owned)) {
        Some(here) => format!("cd '{}' && {{ {command}\n}}", here.replace('\'', r"'\''")),
        None => command.to_owned(),
    }
}

/// The comment above an experiment.
fn head(name: &str, finding: &Finding, sent: &Sent) -> Vec<String> {
    let of = if finding.group.is_empty() { String::new() } else { format!(", {}", finding.group) };
    let mut head = vec![
        format!("Written by `unladen weigh --experiments`: {}{of}: {}", finding.rule, finding.summary),
        format!("What it switches: {}", finding.fix.advice),
        format!("To run it, in this folder: unladen prove {name}.toml"),
    ];
    let names = sent.headers.iter().filter_map(|header| header.split(':').next()).filter(|name| is_secret(name));
    let mut held: Vec<String> = names.map(|name| format!("the header {name}")).collect();
    held.extend(sent.body.as_ref().map(|_| "the body".to_owned()));
    if !held.is_empty() {
        let held = held.join(", ");
        head.push(format!(
            "It contains {held} of the weighed request, perhaps secrets: only its owner should be able to read it."
        ));
    }
    head.into_iter().map(|line| cut(&line)).collect()
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_COMMENT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// `01-recompile-www-data-php-fpm8.2`: only letters and digits, with `-` and `.` between them.
fn name_of(number: usize, finding: &Finding) -> String {
    let mut name = format!("{number:02}");
    for letter in format!("-{}-{}", finding.rule, finding.group).chars() {
        let is_plain = letter.is_ascii_alphanumeric() || letter == '.';
        let letter = if is_plain { letter.to_ascii_lowercase() } else { '-' };
        if letter.is_ascii_alphanumeric() || !name.ends_with(['-', '.']) {
            name.push(letter);
        }
    }
    name.truncate(LONGEST_NAME);
    name.trim_end_matches(['-', '.']).to_owned()
}

/// Whether the name could be one of these files.
fn is_ours(name: &str) -> bool {
    let number = name.bytes().take_while(u8::is_ascii_digit).count();
    number >= 2 && name[number..].starts_with('-') && name.ends_with(".toml")
}

/// The same knob with the existing content of its settings files: a knob writes a whole file, and what other fixes have
/// put there must be in force on both sides.
fn with_there(knob: &Knob) -> Knob {
    let mut knob = knob.clone();
    for part in knob.files.iter_mut().filter(|part| part.file.ends_with(".ini")) {
        if let Some(there) = read(Path::new(&part.file)) {
            part.lines = there.lines().map(str::to_owned).chain(std::mem::take(&mut part.lines)).collect();
        }
    }
    knob
}

fn read(file: &Path) -> Option<String> {
    let mut text = String::new();
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_BYTES);
    let mut file = std::fs::File::open(file).ok().filter(|_| is_file)?.take(MOST_BYTES);
    file.read_to_string(&mut text).ok().map(|_| text)
}

/// Readable by its owner alone; never overwrites.
fn write_new(file: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests;
