//! The principal type is [`Case`]: a part of a bench that can be run by itself.

use crate::{Options, Result};

/// One case; its name is what `--only` takes. All cases of a bench share a world.
pub(crate) struct Case<World> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&World) -> Result<()>,
}

/// Refuses names that are no cases.
pub(crate) fn check<World>(cases: &[Case<World>], options: &Options) -> Result<()> {
    let Some(name) = options.only.iter().find(|name| cases.iter().all(|case| case.name != *name)) else {
        return Ok(());
    };
    let known: Vec<_> = cases.iter().map(|case| case.name).collect();
    Err(format!("there is no case `{name}`: there are {}", known.join(", ")).into())
}

/// Runs those that are named, or all.
pub(crate) fn run<World>(cases: &[Case<World>], options: &Options, world: &World) -> Result<()> {
    for case in cases {
        if options.only.is_empty() || options.only.iter().any(|name| name == case.name) {
            println!("\n{}: {}", case.name, case.about);
            (case.run)(world)?;
        }
    }
    Ok(())
}
