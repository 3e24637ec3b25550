//! What a configuration comes to, as text: a file that says every value, with where each comes from behind it.

use std::fmt::Write;

use super::Config;
use super::explain::{Explained, Shown};

/// A line's value is filled up to this, so that the reasons stand below each other.
const COLUMN: usize = 44;

// === impl Config ===

impl Config {
    /// Every value, and where it comes from. It is a configuration itself, and comes to the same.
    pub fn told(&self) -> String {
        let mut text = String::new();
        let mut of_whole = self.explained.iter().filter(|one| one.beside.is_none()).peekable();
        while let Some(one) = of_whole.next_if(|one| one.key.table.is_empty()) {
            line(&mut text, &one.name(), one);
        }
        let mut table = "";
        for one in self.explained.iter().filter(|one| one.beside.is_none() && !one.key.table.is_empty()) {
            if one.key.table != table {
                table = one.key.table;
                let _ = writeln!(text, "\n[{table}]");
            }
            line(&mut text, one.key.name, one);
        }
        for beside in &self.settings.beside {
            let name = Some(beside.upstream.name.as_str());
            let own = || self.explained.iter().filter(|one| one.beside.as_deref() == name);
            text.push_str("\n[[beside]]\n");
            own().filter(|one| one.index.is_none()).for_each(|one| line(&mut text, &one.name(), one));
            let mut index = None;
            for one in own().filter(|one| one.index.is_some()) {
                if one.index != index {
                    index = one.index;
                    text.push_str("\n[[beside.rate]]\n");
                }
                line(&mut text, one.key.name, one);
            }
        }
        text.trim_start().to_owned()
    }
}

fn line(text: &mut String, name: &str, one: &Explained) {
    let is_table = one.key.is_table();
    let said = match &one.value {
        Shown::None if is_table && one.key.name == "rate" => "# no rate".into(),
        Shown::None => format!("# {name} = none"),
        // What is on is told by what is in it.
        Shown::Flag(true) | Shown::Count(_) if is_table => return,
        value => format!("{name} = {value}"),
    };
    let _ = writeln!(text, "{said:COLUMN$} # {}", one.reason());
}
