//! Reads the tables `[[knob]]`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use unladen_toml::{Bad, DAY, Problem, Table, Value, meant};

use crate::kinds::{CommandKnob, FileKnob, KINDS};
use crate::knob::{Knob, Reach};
use crate::knob_spec::KnobSpec;
use crate::read::service::read_ready;
use crate::read::{ExperimentProblem, Given, KNOB_KEYS, Kind, Reading, Side, check, open};
use crate::shell::COMMAND_TIME;

/// Maximum length of a knob's name: arms are named after several.
const LONGEST_NAME: usize = 60;
const TAKEN: [&str; 3] = ["baseline", "baseline again", "all"];

/// Reads all of them. `alone`: no two are ever on together, so each may request anything.
pub(crate) fn read_all(list: &Value<'_>, reading: &Reading<'_>, alone: bool) -> Result<Vec<KnobSpec>, Bad> {
    let mut knobs: Vec<KnobSpec> = Vec::new();
    let mut claims: HashMap<String, (String, bool)> = HashMap::new();
    let values = list.list("a list of tables, each headed [[knob]]")?;
    if values.is_empty() {
        return Err(list.refuse("empty", "at least one knob"));
    }
    for value in values {
        let table = open(&value, "[[knob]]", &KNOB_KEYS, &[])?;
        let name = table.require("name", "its name in reports")?;
        let knob = read(&table, name_of(&name)?, reading)?;
        if knobs.iter().any(|other| other.name == knob.name) {
            return Err(name.other(ExperimentProblem::Twice { what: "knobs", name: knob.name }));
        }
        for claim in knob.claims() {
            let shares = alone && knob.only_asks(&claim);
            if let Some((first, shared)) = claims.insert(claim.clone(), (knob.name.clone(), shares))
                && (first == knob.name || !shared || !shares)
            {
                let first = if first == knob.name { "the same side".into() } else { format!("the knob `{first}`") };
                return Err(name.other(ExperimentProblem::Claimed { what: claim, first }));
            }
        }
        knobs.push(knob);
    }
    Ok(knobs)
}

fn name_of(value: &Value<'_>) -> Result<String, Bad> {
    let name = value.words()?;
    let arm_like = TAKEN.contains(&name) || name.contains(" + ") || name.starts_with("all but ");
    if arm_like {
        return Err(
            value.refuse(format!("`{name}`"), "a name that is not an arm's own (baseline, all, all but …, … + …)")
        );
    }
    if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) || name.trim() != name {
        return Err(
            value.refuse("not a short line", "a name of at most 60 characters, without line breaks or outer spaces")
        );
    }
    Ok(name.to_owned())
}

fn read(table: &Table<'_>, name: String, reading: &Reading<'_>) -> Result<KnobSpec, Bad> {
    let (on, off) = (table.get("on"), table.get("off"));
    if on.is_none() && off.is_none() {
        return Err(table.missing("on", "the change: a command, or a table such as { file = \"…\", text = \"…\" }"));
    }
    let initial = table.get("initial");
    let starts_on = match &initial {
        Some(value) => value.choice(&[("off", false), ("on", true)])?,
        None => false,
    };
    let mut knob = KnobSpec {
        name,
        initial: starts_on,
        restart: restart(table, reading)?,
        ready: table.get("ready").map(|value| read_ready(&value, reading)).transpose()?,
        settle: table.get("settle").map_or(Ok(Duration::ZERO), |value| value.duration(Duration::ZERO..=DAY))?,
        changes: Vec::new(),
        order: [Vec::new(), Vec::new()],
    };
    let mut files: Vec<(usize, FileKnob)> = Vec::new();
    for (is_on, value) in [(true, &on), (false, &off)] {
        let side = Side { on: is_on, initial: is_on == starts_on };
        for value in value.iter().flat_map(Value::each) {
            let change = match given(&value, &side, reading)? {
                Given::Change(change) => change,
                Given::File { path, content } => {
                    let mut sides = [None, None];
                    sides[usize::from(is_on)] = Some(content);
                    let same = files.iter().position(|(_, other)| other.path == path && !other.has(is_on));
                    if let Some(same) = same {
                        let (index, other) = files.remove(same);
                        sides[usize::from(!is_on)] = other.sides[usize::from(!is_on)].clone();
                        knob.changes[index] = Arc::new(FileKnob { path, sides });
                        knob.order[usize::from(is_on)].push(index);
                        continue;
                    }
                    let file = FileKnob { path, sides };
                    files.push((knob.changes.len(), file.clone()));
                    Arc::new(file)
                }
            };
            if change.environment(is_on).is_some() && knob.restart.is_empty() {
                let without = "needs `restart`, the services whose environment it changes: a program reads its environment at \
                     its start";
                return Err(Problem::Alone { key: "env", without }.at(value.span()));
            }
            knob.order[usize::from(is_on)].push(knob.changes.len());
            knob.changes.push(change);
        }
    }
    check_commands(&knob, table, [off.as_ref(), on.as_ref()], initial.as_ref())?;
    Ok(knob)
}

/// Commands are needed for both sides, and only they require `initial`.
fn check_commands(
    knob: &KnobSpec,
    table: &Table<'_>,
    sides: [Option<&Value<'_>>; 2],
    initial: Option<&Value<'_>>,
) -> Result<(), Bad> {
    let has = |on: bool| knob.changes.iter().any(|change| change.reach() == Reach::Command && change.has(on));
    let word = |on: bool| if on { "on" } else { "off" };
    for on in [true, false] {
        if has(on) && !has(!on) {
            let span = sides[usize::from(on)].map_or(table.span(), Value::span);
            let problem = ExperimentProblem::OneWay { knob: knob.name.clone(), has: word(on), lacks: word(!on) };
            return Err(Problem::other(problem).at(span));
        }
    }
    match initial {
        Some(value) if !has(true) => {
            let without = "sets the side on which commands find the knob, but this knob has no command: leave it out";
            Err(Problem::Alone { key: "initial", without }.at(value.span()))
        }
        _ => Ok(()),
    }
}

fn given(value: &Value<'_>, side: &Side, reading: &Reading<'_>) -> Result<Given, Bad> {
    if value.is_text() {
        let command = value.words()?.to_owned();
        let Side { on, initial } = *side;
        return Ok(Given::Change(Arc::new(CommandKnob { on, initial, command, within: COMMAND_TIME })));
    }
    let table = Table::of(value, format!("`{}`", value.key()), "a table")?;
    let mut kinds = KINDS.iter().filter(|kind| table.get(kind.key).is_some());
    let Some(kind) = kinds.next() else {
        let keys: Vec<&str> = KINDS.iter().map(|kind| kind.key).collect();
        check(&table, &keys, &[])?;
        return Err(table.missing("command", "one of `command`, `file`, `makes`, `env`, `patch`, `url` and `header`"));
    };
    if let Some(other) = kinds.next() {
        let why = "each change needs its own table; make `on` a list of them";
        return Err(
            Problem::Both { place: table.place().to_owned(), first: kind.key, second: other.key, why }.at(table.span())
        );
    }
    let Kind { key, with, read, .. } = kind;
    let keys: Vec<&str> = std::iter::once(*key).chain(with.iter().copied()).collect();
    check(&table, &keys, &[])?;
    read(&table, side, reading)
}

fn restart(table: &Table<'_>, reading: &Reading<'_>) -> Result<Vec<usize>, Bad> {
    let mut services = Vec::new();
    for value in table.get("restart").iter().flat_map(Value::each) {
        let name = value.text()?;
        let known: Vec<&str> = reading.services.iter().map(String::as_str).collect();
        let Some(index) = known.iter().position(|service| *service == name) else {
            let meant = if known.is_empty() { "add a [[service]] with that name".into() } else { meant(name, &known) };
            return Err(value.other(ExperimentProblem::UnknownService { name: name.to_owned(), meant }));
        };
        if !services.contains(&index) {
            services.push(index);
        }
    }
    Ok(services)
}
