//! What this program is besides the bench: the small processes that the benches start are itself, under these names.

use crate::{Result, cache, classmap, crowd, proxy, server, subject, tool};

/// The first argument names it.
type Role = fn(&[String]) -> Result<()>;

pub(crate) const SLEEP: &str = "as-sleeper";
pub(crate) const TICK: &str = "as-ticker";
pub(crate) const SPAWN: &str = "as-spawner";
pub(crate) const CLIENT: &str = "as-client";
pub(crate) const KEEP: &str = "as-keeper";
pub(crate) const METRONOME: &str = "as-metronome";
pub(crate) const SERVER: &str = "as-server";
pub(crate) const MEASURE: &str = "as-measurer";
pub(crate) const CALLERS: &str = "as-callers";
pub(crate) const ORIGIN: &str = "as-origin";
pub(crate) const SINK: &str = "as-sink";
pub(crate) const LOADER: &str = "as-loader";

pub(crate) fn of(arguments: &[String]) -> Option<Role> {
    let role: Role = match arguments.first()?.as_str() {
        SLEEP => |_| crowd::sleep(),
        TICK => |_| crowd::tick(),
        SPAWN => crowd::spawn,
        CLIENT => tool::be_the_client,
        KEEP => subject::keep,
        METRONOME => tool::be_the_metronome,
        SERVER => server::serve,
        MEASURE => classmap::measure,
        CALLERS => proxy::be_the_callers,
        ORIGIN => |_| cache::be_the_origin(),
        SINK => |_| proxy::be_the_sink(),
        LOADER => proxy::be_the_loader,
        _ => return None,
    };
    Some(role)
}
