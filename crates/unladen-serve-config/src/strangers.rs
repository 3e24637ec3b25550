//! [`strangers`]: the unknown keys of a table, with where each belongs.

use unladen_toml::{Bad, Table};

use super::keys;

pub(super) fn strangers(table: &Table<'_>, known: &[&str]) -> Vec<Bad> {
    table.strangers(known, |word| {
        let homes = homes(table.place(), word);
        match homes.is_empty() {
            false => Some(format!("it belongs in {}", homes.join(" or "))),
            true if keys::GROUPS.contains(&word) => {
                Some(format!("it belongs below an [[outbound]] or a [[site]], or below [defaults]: [defaults.{word}]"))
            }
            true => None,
        }
    })
}

/// The tables that have this key; of two, the one that `place` is in.
fn homes(place: &str, word: &str) -> Vec<String> {
    let is_site = place.contains("site");
    let mut homes: Vec<String> = Vec::new();
    // A site's variants of a table are found where the table itself is.
    for known in keys::all().filter(|known| known.name == word && !known.table.starts_with("site.")) {
        let mut places = keys::headed(known.table);
        let home = if is_site { places.pop() } else { places.into_iter().next() };
        homes.extend(home.filter(|home| *home != place && !homes.contains(home)));
    }
    // Keys that, if another table has them too, are more often meant there.
    const SELDOM: [&str; 5] =
        ["[[site.route]]", "[site.route.access]", "[site.route.request]", "[site.fastcgi]", "`eab`"];
    if word != "route" && (keys::GROUPS.contains(&word) || homes.iter().any(|home| !SELDOM.contains(&home.as_str()))) {
        homes.retain(|home| !SELDOM.contains(&home.as_str()));
    }
    homes
}
