//! The principal type is [`Systemd`]: whether services are its units.

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};

pub(crate) struct Systemd;

const VERBS: &[Verb] = &[Verb::Prove, Verb::Serve];

impl Check for Systemd {
    fn name(&self) -> &'static str {
        "systemd"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        // As sd_booted(3) does.
        vec![if asked.path("run/systemd/system").is_dir() {
            Row::ok(VERBS, "services are units of systemd")
        } else {
            Row::limited(VERBS, "systemd does not run here")
                .so("fixes and experiments that say `systemctl` need the command that restarts the service here")
        }]
    }
}

#[cfg(test)]
mod tests;
