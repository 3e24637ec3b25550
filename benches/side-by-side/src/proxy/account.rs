//! What a proxy is worth to a PHP page.
use super::World;
use crate::Result;
pub(super) fn run(_: &World) -> Result<()> {
    Ok(())
}
