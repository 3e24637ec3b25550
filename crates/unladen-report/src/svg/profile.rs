//! The flame graphs of `unladen profile` and of `unladen profile diff`.

use std::io::{self, Write};

use unladen_profile::{FlameStyle, flame, flame_diff};

use crate::profile::{ProfileDiff, Profiled};

pub(super) fn profile(result: &Profiled, out: &mut dyn Write) -> io::Result<()> {
    let Some(profile) = &result.profile else { return Ok(()) };
    let mut style = FlameStyle::of(profile);
    if let Some(setup) = &result.document.setup {
        style.title.clone_from(&setup.url);
        style.subtitle = format!("{} · {}", style.subtitle, setup.group);
    }
    flame(profile, &style, out)
}

pub(super) fn diff(result: &ProfileDiff, out: &mut dyn Write) -> io::Result<()> {
    let Some(diff) = &result.diff else { return Ok(()) };
    flame_diff(diff, &FlameStyle::of_diff(diff), out)
}

#[cfg(test)]
mod tests;
