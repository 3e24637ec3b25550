//! Names under which this program is something else than the bench: the small processes that the benches start are
//! itself. The first argument names it.

pub(crate) const SLEEP: &str = "as-sleeper";
pub(crate) const TICK: &str = "as-ticker";
pub(crate) const SPAWN: &str = "as-spawner";
pub(crate) const CLIENT: &str = "as-client";
pub(crate) const KEEP: &str = "as-keeper";
pub(crate) const METRONOME: &str = "as-metronome";
pub(crate) const SERVER: &str = "as-server";
pub(crate) const MEASURE: &str = "as-measurer";
pub(crate) const APPLICATION: &str = "as-application";
