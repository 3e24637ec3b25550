//! The principal type is [`EnvKnob`]: environment variables of services, from their next start on.

use std::collections::BTreeMap;
use std::sync::Arc;

use unladen_toml::{Bad, Problem, Table};

use crate::knob::{Knob, Reach};
use crate::read::{Given, Kind, Reading, Side};

pub(super) const KIND: Kind =
    Kind { key: "env", with: &[], summary: "sets variables in the environment of the services in `restart`", read };

fn read(table: &Table<'_>, side: &Side, _reading: &Reading<'_>) -> Result<Given, Bad> {
    let value = table.require(KIND.key, "a table of names and values")?;
    let mut variables = BTreeMap::new();
    for (name, span, value) in Table::of(&value, "`env`", "a table")?.entries(KIND.key) {
        // Names valid in a shell (POSIX, Base Definitions, section 8.1), and in systemd.
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !plain || name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            let expected = "letters, digits and _, as NAME = \"value\"".into();
            return Err(Problem::Value { key: "env".into(), value: format!("`{name}`"), expected }.at(span));
        }
        let text = value.text()?;
        if text.contains('\0') {
            return Err(value.refuse("a string with a zero byte", "a string without it"));
        }
        variables.insert(name.to_owned(), text.to_owned());
    }
    if variables.is_empty() {
        return Err(value.refuse("empty", "NAME = \"value\""));
    }
    Ok(Given::Change(Arc::new(EnvKnob { on: side.on, variables })))
}

/// Environment variables of the services that the knob restarts.
#[derive(Clone, Debug)]
pub struct EnvKnob {
    /// Side on which they are set; on the other they are as the service sets them itself.
    pub on: bool,
    pub variables: BTreeMap<String, String>,
}

impl Knob for EnvKnob {
    fn what(&self) -> String {
        let names: Vec<&str> = self.variables.keys().map(String::as_str).collect();
        format!("the environment ({})", names.join(", "))
    }

    fn has(&self, on: bool) -> bool {
        self.on == on
    }

    fn reach(&self) -> Reach {
        Reach::System
    }

    fn environment(&self, on: bool) -> Option<&BTreeMap<String, String>> {
        (self.on == on).then_some(&self.variables)
    }
}
