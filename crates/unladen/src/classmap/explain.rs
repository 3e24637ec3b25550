//! Who claims a class, who wins, and why.

use std::fmt::Write;

use bstr::{BStr, BString, ByteSlice};
use serde_json::json;
use unladen_classmap::{Claim, Claims, Project, Resolution, Verdict, emit, verdict};

use super::task::Task;
use crate::classmap::summary::{plain_text, tell};
use crate::exit::Failure;
use crate::output;
use crate::runs::headed;

/// Explains a class. Fails if the application cannot be read, or if no file declares and no loader finds such a class.
pub(crate) fn explain(task: &Task, class: &BStr) -> Result<(), Failure> {
    let task = &task.remembered()?;
    let project = task.read()?;
    task.tell_otherwise(&project);
    tell(&project.map.problems);
    let asked = BString::from(class.trim_start_with(|letter| letter == '\\'));
    let told = Told::of(&project, asked.as_bstr());
    if told.claims.is_empty() && told.elsewhere.is_empty() {
        return Err(Failure::Usage(format!(
            "no file declares `{asked}`, and no loader of {} leads to one{}",
            project.root().display(),
            nearest(&project, &asked)
        )));
    }
    let text = match task.json {
        true => format!("{:#}", headed(told.json(&project), &task.about(&project))),
        false => told.text(&project),
    };
    Ok(output::line(text.trim_end())?)
}

struct Told<'a> {
    /// As declared, or else as asked for.
    class: BString,
    claims: Vec<(Claim<'a>, String)>,
    verdict: Verdict<'a>,
    /// Whether the map has it, in any spelling.
    is_mapped: bool,
    /// Files, with lines, that declare it and to which no loader leads.
    elsewhere: Vec<(&'a BStr, u32)>,
}

impl<'a> Told<'a> {
    fn of(project: &'a Project, asked: &BStr) -> Self {
        let declared = || {
            project
                .tree
                .files()
                .filter_map(|(path, file)| file.declaration_of(asked).map(|declaration| (path, declaration)))
        };
        let is_so_spelled = declared().any(|(_, declaration)| declaration.name == asked);
        let spelled =
            if is_so_spelled { None } else { declared().map(|(_, declaration)| declaration.name.clone()).next() };
        let class = spelled.unwrap_or_else(|| asked.to_owned());
        let claims = Claims::new(&project.application, &project.tree);
        let all: Vec<_> =
            claims.all(class.as_bstr()).into_iter().map(|claim| (claim.clone(), claims.words(&claim))).collect();
        let elsewhere = declared()
            .filter(|(path, _)| !all.iter().any(|(claim, _)| claim.path == *path))
            .map(|(path, declaration)| (path, declaration.line))
            .collect();
        let verdict = verdict(&project.application, &project.tree, claims.all(class.as_bstr()));
        let is_mapped = project.map.entries.iter().any(|entry| entry.class.eq_ignore_ascii_case(asked));
        Self { class, claims: all, verdict, is_mapped, elsewhere }
    }

    fn decision(&self) -> &'static str {
        match &self.verdict {
            Verdict::File(Claim { outcome: Resolution::Declared, .. }) if !self.is_mapped => {
                "not in the map: several spellings lead to different files"
            }
            _ if self.is_mapped && self.wins().is_none() => "in the map under another spelling of its name",
            Verdict::File(claim) => match claim.outcome {
                Resolution::Declared => "in the map: the first file that PHP would load",
                Resolution::Undeclared => {
                    "not in the map: the first file that PHP would load does not declare it, as far as its source \
                     shows"
                }
                Resolution::Gone => "not in the map: the file that is listed first does not exist",
            },
            Verdict::Open(_) => "not in the map: which of these files PHP would load first cannot be seen from outside",
            Verdict::Nothing => "not in the map: no loader leads to a file that declares it",
        }
    }

    fn wins(&self) -> Option<&BString> {
        match &self.verdict {
            Verdict::File(claim) if claim.outcome == Resolution::Declared && self.is_mapped => Some(&claim.path),
            _ => None,
        }
    }

    fn text(&self, project: &Project) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = writeln!(text, "{}: {}", plain_text(&self.class.to_str_lossy()), self.decision());
        for (at, (claim, words)) in self.claims.iter().enumerate() {
            let path = plain_text(&emit::relative(claim.path.as_bstr(), project.root()).to_str_lossy());
            let line =
                project.tree.file(claim.path.as_bstr()).and_then(|file| file.declaration_of(self.class.as_bstr()));
            let state = match (claim.outcome, line) {
                (Resolution::Declared, Some(declaration)) => {
                    format!("{} in line {}", declaration.kind.into_str(), declaration.line)
                }
                (Resolution::Gone, _) => "does not exist, or cannot be read".to_owned(),
                _ => "does not declare it".to_owned(),
            };
            let mark = if self.wins() == Some(&claim.path) && at == 0 { "wins" } else { "" };
            let _ = writeln!(text, "{:3}  {path}  {state}  {mark}\n     {}", at + 1, plain_text(words));
        }
        for (path, line) in &self.elsewhere {
            let path = plain_text(&emit::relative(path, project.root()).to_str_lossy());
            let _ = writeln!(text, "  –  {path}  declared in line {line}; no loader leads there");
        }
        text
    }

    fn json(&self, project: &Project) -> serde_json::Value {
        let path = |path: &BStr| emit::relative(path, project.root()).to_str_lossy().into_owned();
        let claims: Vec<_> = self
            .claims
            .iter()
            .map(|(claim, words)| {
                let outcome = match claim.outcome {
                    Resolution::Declared => "declared",
                    Resolution::Undeclared => "undeclared",
                    Resolution::Gone => "gone",
                };
                json!({ "path": path(claim.path.as_bstr()), "by": words, "outcome": outcome })
            })
            .collect();
        let elsewhere: Vec<_> =
            self.elsewhere.iter().map(|(file, line)| json!({ "path": path(file), "line": line })).collect();
        json!({
            "schema": "unladen.classmap-explain/1",
            "class": self.class.to_str_lossy(),
            "wins": self.wins().map(|wins| path(wins.as_bstr())),
            "why": self.decision(),
            "claims": claims,
            "elsewhere": elsewhere,
        })
    }
}

fn nearest(project: &Project, class: &BString) -> String {
    let class = class.to_str_lossy();
    let names = project.map.entries.iter().filter_map(|entry| entry.class.to_str().ok());
    let likeness = |name: &str| strsim::jaro_winkler(name, &class);
    names
        .max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
        .map(|name| format!(" (the nearest is `{name}`)"))
        .unwrap_or_default()
}
