//! Validators that are not asked each time: told of changes by PostgreSQL, or by what another node was answered. A page is
//! never older than the bound that is told, and whoever changed it sees that at once.

mod changes;
mod notified;
mod shared;
