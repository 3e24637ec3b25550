//! What every document says of its run: [`about`].

use unladen_document::{About, Machine};

/// What a document says of its run, with what stands in the result alone.
pub(super) fn about(about: &About, seed: Option<u64>, machine: Option<&Machine>) -> About {
    let machine = machine.or(about.machine.as_ref()).cloned();
    About { seed, machine, ..about.clone() }
}
