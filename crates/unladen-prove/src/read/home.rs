//! The principal type is [`Home`]: the right table for keys that are often put into the wrong one.

use unladen_toml::{Bad, Table, Value};

pub(super) struct Home {
    pub(super) keys: &'static [&'static str],
    pub(super) place: &'static str,
}

pub(super) fn open<'t>(value: &Value<'t>, place: &str, keys: &[&str], homes: &[Home]) -> Result<Table<'t>, Bad> {
    let table = Table::of(value, place, "a table")?;
    check(&table, keys, homes).map(|()| table)
}

pub(super) fn check(table: &Table<'_>, keys: &[&str], homes: &[Home]) -> Result<(), Bad> {
    let home = |word: &str| {
        let home = homes.iter().find(|home| home.keys.contains(&word))?;
        Some(format!("it belongs in {}", home.place))
    };
    table.strangers(keys, home).into_iter().next().map_or(Ok(()), Err)
}
