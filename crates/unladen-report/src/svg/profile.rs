//! The flame graphs of `unladen profile` and of `unladen profile diff`.

use std::io::{self, Write};

use unladen_profile::{FlameStyle, flame, flame_diff};

use crate::profile::{ProfileDiff, Profiled};

pub(super) fn profile(result: &Profiled, out: &mut dyn Write) -> io::Result<()> {
    let mut style = FlameStyle::of(&result.profile);
    if let Some(setup) = &result.setup {
        style.title.clone_from(&setup.url);
        style.subtitle = format!("{} · {}", style.subtitle, setup.group);
    }
    flame(&result.profile, &style, out)
}

pub(super) fn diff(result: &ProfileDiff, out: &mut dyn Write) -> io::Result<()> {
    flame_diff(&result.diff, &FlameStyle::of_diff(&result.diff), out)
}

#[cfg(test)]
mod tests;
