//! [`BUSES`]: the list of engines; one file each.

mod nats;
mod postgres;
pub(crate) mod valkey;

use std::sync::Arc;

use crate::purge_bus::{BackEnd, PurgeBus};
use crate::{BusError, BusSettings};

/// All kinds of engines.
pub static BUSES: &[BackEnd] = &[valkey::BACK_END, postgres::BACK_END, nats::BACK_END];

/// The bus of the URL's scheme.
///
/// # Errors
/// If no engine has this scheme, or the settings are unsuitable.
pub fn open(settings: &BusSettings) -> Result<Arc<dyn PurgeBus>, BusError> {
    let scheme = settings.url.scheme();
    let Some(back_end) = BUSES.iter().find(|back_end| back_end.schemes.contains(&scheme)) else {
        let known: Vec<_> =
            BUSES.iter().flat_map(|back_end| back_end.schemes).map(|known| format!("{known}://")).collect();
        return Err(BusError::Url(format!("no engine has URLs with `{scheme}://`: use one of {}", known.join(", "))));
    };
    (back_end.open)(settings)
}
