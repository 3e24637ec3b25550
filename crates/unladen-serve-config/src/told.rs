//! A configuration as text: a file with every value, and its origin behind it.

use std::fmt::Write;

use super::Config;
use super::explain::{Explained, Shown};
use super::keys::Whose;

/// Values are padded to this column, to align the reasons.
const COLUMN: usize = 44;

impl Config {
    /// Every value, with its origin. The text is itself an equivalent configuration, except for passwords of databases,
    /// which are left out.
    pub fn told(&self) -> String {
        let mut text = String::new();
        let mut of_whole = self.explained.iter().filter(|one| one.whose == Whose::Whole).peekable();
        while let Some(one) = of_whole.next_if(|one| one.key.table.is_empty()) {
            line(&mut text, &one.name(), one);
        }
        let mut table = "";
        for one in self.explained.iter().filter(|one| one.whose == Whose::Whole && !one.key.table.is_empty()) {
            if one.key.table != table {
                table = one.key.table;
                let _ = writeln!(text, "\n[{table}]");
            }
            line(&mut text, one.key.name, one);
        }
        for site in &self.settings.site {
            self.tell_one(&Whose::Site(site.proxy.upstream.name.clone()), "site", &mut text);
        }
        for outbound in &self.settings.outbound {
            self.tell_one(&Whose::Outbound(outbound.upstream.name.clone()), "outbound", &mut text);
        }
        text.trim_start().to_owned()
    }

    fn tell_one(&self, whose: &Whose, head: &str, text: &mut String) {
        let own = || self.explained.iter().filter(|one| one.whose == *whose);
        let _ = writeln!(text, "\n[[{head}]]");
        own().filter(|one| one.index.is_none()).for_each(|one| line(text, &one.name(), one));
        let mut last = None;
        for one in own().filter(|one| one.index.is_some()) {
            let table = Some((one.key.table, one.index));
            if table != last {
                last = table;
                let _ = writeln!(text, "\n[[{head}.{}]]", one.key.table);
            }
            line(text, one.key.name, one);
        }
    }
}

fn line(text: &mut String, name: &str, one: &Explained) {
    let is_table = one.key.is_table();
    let said = match &one.value {
        Shown::None if is_table && matches!(one.key.name, "rate" | "validator") => format!("# no {name}"),
        Shown::None => format!("# {name} = none"),
        // A table that is on is described by its keys.
        Shown::Flag(true) | Shown::Count(_) if is_table => return,
        value => format!("{name} = {value}"),
    };
    let _ = writeln!(text, "{said:COLUMN$} # {}", one.reason());
}
