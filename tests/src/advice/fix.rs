//! The principal type is [`Fix`]: what a finding prints.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ground::Ground;
use super::undo::Undo;

/// Far above what it takes to listen.
const LIMIT: Duration = Duration::from_secs(40);
/// Words that stand for what the tool does not know.
const UNKNOWN: &[&str] = &["USER", "PASSWORD", "NAME", "DIR", "PROGRAM", "COMMAND", "SERVICE"];

/// What a finding prints, as `--json` tells it.
#[derive(Debug, Clone)]
pub struct Fix {
    /// `cacheable`
    pub rule: String,
    /// Of whom it is true.
    pub group: String,
    /// `warm`, or `fresh` of first requests of processes.
    pub state: String,
    /// What was seen.
    pub summary: String,
    /// How much: the first figure's value.
    pub size: Option<f64>,
    /// What to do.
    pub advice: String,
    /// The largest part of it: a statement, a peer.
    pub item: String,
    /// How to look again.
    pub check_again: String,
    files: Vec<(String, Vec<String>)>,
    commands: Vec<String>,
}

/// A fix that is in place. Dropped, all is as it was.
#[derive(Debug)]
pub struct Applied {
    // In this order: it ends what serves, whose number is nobody else's until it has been waited for.
    undo: Undo,
    serve: Option<Served>,
    /// Where the site is to be asked now: through what stands in front, if something does.
    pub site: String,
}

/// `unladen serve`, as it was printed.
#[derive(Debug)]
struct Served(Child);

impl Fix {
    /// Of one finding in a document of `unladen weigh --json`.
    pub fn of(finding: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| value.as_array().into_iter().flatten().map(&text).collect::<Vec<_>>();
        let fix = &finding["fix"];
        let own = (text(&fix["file"]), list(&fix["lines"]));
        let also = fix["also"].as_array().into_iter().flatten().map(|part| (text(&part["file"]), list(&part["lines"])));
        Self {
            rule: text(&finding["rule"]),
            group: text(&finding["group"]),
            state: text(&finding["state"]),
            summary: text(&finding["summary"]),
            size: finding["evidence"]["figures"][0]["per_request"].as_f64(),
            advice: text(&fix["advice"]),
            item: text(&finding["evidence"]["items"][0]["name"]),
            check_again: text(&finding["check_again"]),
            files: std::iter::once(own).chain(also).filter(|(_, lines)| !lines.is_empty()).collect(),
            commands: list(&fix["commands"]),
        }
    }

    /// Why a program cannot apply it; none: it can.
    pub fn by_hand(&self, ground: &Ground) -> Option<String> {
        if self.files.is_empty() && self.commands.is_empty() {
            let begins: String = self.advice.chars().take(90).collect();
            return Some(format!("advice to who writes the application: no lines, no commands ({begins}…)"));
        }
        if let Some((file, _)) = self.files.iter().find(|(file, _)| file != "unladen.toml" && !file.starts_with('/')) {
            let place = if file.is_empty() { "application code" } else { file };
            return Some(format!("its lines go into {place}, which has no path"));
        }
        let words = self.files.iter().flat_map(|(_, lines)| lines).chain(&self.commands);
        let unknown = |text: &str| {
            let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            words.find_map(|word| UNKNOWN.iter().find(|unknown| **unknown == word).copied())
        };
        if let Some(word) = words.into_iter().find_map(|text| unknown(text)) {
            return Some(format!("{word} stands for what the tool does not know"));
        }
        let elsewhere =
            self.files.iter().map(|(file, _)| file).find(|file| file.starts_with('/') && !ground.is_ours(file));
        if let Some(file) = elsewhere {
            return Some(format!("{file} is the whole machine's, which is not changed here"));
        }
        if self.commands.iter().any(|command| command.contains("apt install") || command.contains("apt-get install")) {
            return Some("it installs a package".into());
        }
        if self.other_address().is_some() && ground.settings().is_none() {
            return Some("the application has to call another address: that is its own setting".into());
        }
        None
    }

    /// What the application is to call from now on, by its own settings: in place of what, and what.
    fn other_address(&self) -> Option<(String, String)> {
        let is_end = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | ')');
        let word = |text: &str| text.split(is_end).next().unwrap_or_default().trim_end_matches('.').to_owned();
        if let Some((_, rest)) = self.advice.split_once("call http://127.0.0.1:") {
            let (port, rest) = rest.split_once(" in place of ")?;
            return Some((word(rest), format!("http://127.0.0.1:{port}")));
        }
        // As DAViCal has it.
        let (_, to) = self.advice.split_once("the application then connects to 127.0.0.1:")?;
        let (_, from) = self.item.rsplit_once(':')?;
        Some((format!("port={from}"), format!("port={}", word(to))))
    }

    /// Has the application call what it is told to.
    fn move_calls(&self, ground: &Ground, applied: &mut Applied) -> Result<(), String> {
        let (Some((from, to)), Some(settings)) = (self.other_address(), ground.settings()) else { return Ok(()) };
        applied.undo.keep(&settings);
        let text = fs::read_to_string(&settings).map_err(|error| error.to_string())?;
        if !text.contains(&from) {
            return Err(format!("{}: there is no {from}, in place of which {to} is told", settings.display()));
        }
        fs::write(&settings, text.replace(&from, &to)).map_err(|error| error.to_string())?;
        ground.run("systemctl restart php-fpm").map(drop)
    }

    /// What tells it from other findings of the same rule and group: a name that both would have.
    pub fn subject(&self) -> &str {
        match self.rule.as_str() {
            "n-plus-one"
            | "same-query-again"
            | "database-reconnect"
            | "unpooled-connection"
            | "unused-connection"
            | "unpooled-tls" => &self.item,
            _ => "",
        }
    }

    /// What has to be there before its experiment: what its commands make, all but the reading of settings, which the
    /// experiment has done.
    ///
    /// # Errors
    /// With the command that did not succeed, and what it said.
    pub fn prepare(&self, ground: &Ground) -> Result<Applied, String> {
        let mut made = Applied::to(ground);
        let makes =
            |command: &&String| ["unladen classmap ", "install "].iter().any(|begin| command.starts_with(begin));
        for command in self.commands.iter().filter(makes) {
            ground.keep_for(command, &mut made.undo);
            ground.run(command)?;
        }
        Ok(made)
    }

    /// Has it applied: lines into their files, then the commands, one after the other; what serves goes on serving.
    ///
    /// # Errors
    /// With the command that did not succeed, and what it said.
    pub fn apply(&self, ground: &Ground) -> Result<Applied, String> {
        let mut applied = Applied::to(ground);
        for (file, _) in &self.files {
            applied.undo.keep(&ground.path(file));
        }
        // What a command writes is put back too.
        for command in &self.commands {
            ground.keep_for(command, &mut applied.undo);
        }
        for (file, lines) in &self.files {
            let path = ground.path(file);
            let lines: Vec<String> = lines.iter().map(|line| ground.with_folders(line)).collect();
            append(&path, &lines, ground.is_whole(file)).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        for command in &self.commands {
            if command.starts_with("unladen serve ") {
                let serve = ground.start(command);
                applied.undo.run(&format!("kill -KILL {}", serve.id()));
                applied.serve = Some(Served(serve));
                let config = fs::read_to_string(ground.path("unladen.toml")).unwrap_or_default();
                let listen = config.lines().find_map(|line| line.strip_prefix("listen = \"")?.strip_suffix('"'));
                let listen = listen.ok_or("the configuration names no address")?.to_owned();
                wait_until_answers(&listen).ok_or_else(|| format!("{command}: nobody listens at {listen}"))?;
                if config.contains("[[site]]") {
                    applied.site = format!("http://{listen}");
                }
                continue;
            }
            ground.run(command)?;
            ground.end_after(command, &mut applied.undo);
        }
        self.move_calls(ground, &mut applied)?;
        Ok(applied)
    }
}

fn wait_until_answers(address: &str) -> Option<()> {
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        if begun.elapsed() > LIMIT {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(())
}

/// As one does by hand: at the end of a file, or into a new one.
fn append(path: &Path, lines: &[String], anew: bool) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut text = if anew { String::new() } else { fs::read_to_string(path).unwrap_or_default() };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.extend(lines.iter().flat_map(|line| [line.as_str(), "\n"]));
    fs::write(path, text)
}

impl Applied {
    fn to(ground: &Ground) -> Self {
        Self { undo: ground.undo(), serve: None, site: ground.site().to_owned() }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
