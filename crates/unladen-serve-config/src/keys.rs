//! [`all`]: all that a configuration can say. Reading, `--explain` and docs/reference/serve.md are made of this one list;
//! each file of this folder has the keys of a few tables.

mod application;
mod cache;
mod client;
mod fleet;
mod groups;
mod key;
mod outbound;
mod queue;
mod route;
mod site;
mod site_defaults;
mod snapshot;
mod table;
mod tier;
mod upstream;
mod whole;

pub(crate) use groups::{GROUPS, INLINE, SHARED};
pub use key::Key;
pub(crate) use table::{below, headed};

use super::whose::Whose;

/// The keys, table by table.
const KEYS: [&[Key]; 13] = [
    whole::KEYS,
    fleet::KEYS,
    tier::KEYS,
    outbound::KEYS,
    site::KEYS,
    application::KEYS,
    route::KEYS,
    queue::KEYS,
    cache::KEYS,
    snapshot::KEYS,
    upstream::KEYS,
    client::KEYS,
    site_defaults::KEYS,
];

/// All keys, table by table.
pub(super) fn all() -> impl Iterator<Item = &'static Key> {
    KEYS.into_iter().flatten()
}

/// The key of a table: of a `[[site]]`'s, with its own default if it has one.
pub(super) fn find(whose: &Whose, table: &str, name: &str) -> Option<&'static Key> {
    let of_site = |key: &&Key| key.table.strip_prefix("site.") == Some(table) && key.name == name;
    let own = whose.site().and_then(|_| all().find(of_site));
    own.or_else(|| all().find(|key| key.table == table && key.name == name))
}

/// The names of a table's own keys.
pub(super) fn names(table: &str) -> Vec<&'static str> {
    all().filter(|key| key.table == table).map(|key| key.name).collect()
}
