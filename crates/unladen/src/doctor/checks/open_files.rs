//! The principal type is [`OpenFiles`]: how many connections can be open at once.

use nix::sys::resource::{Resource, getrlimit};

use super::privileges::has;
use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::{as_root, is_root};

pub(crate) struct OpenFiles;

const VERBS: &[Verb] = &[Verb::Load, Verb::Serve];
/// Lets root raise a hard limit.
const CAP_SYS_RESOURCE: u32 = 24;
/// Fewer are few for a server that others call.
const FEW: u64 = 4_096;

impl Check for OpenFiles {
    fn name(&self) -> &'static str {
        "files"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        let status = asked.read("proc/self/status").unwrap_or_default();
        let may_raise = !is_root() || has(&status, CAP_SYS_RESOURCE);
        // Unladen itself raises the soft limit up to the hard one.
        getrlimit(Resource::RLIMIT_NOFILE).map(|(_, hard)| row(hard, may_raise)).into_iter().collect()
    }
}

fn row(hard: u64, may_raise: bool) -> Row {
    if hard < FEW {
        let row = Row::limited(VERBS, format!("at most {hard} files may be open at once")).so("each connection is one");
        return match may_raise {
            true => row.fix(as_root("prlimit --pid $$ --nofile=65536")),
            false => {
                row.advice("start the container, or this shell's service, with a higher limit (--ulimit, LimitNOFILE=)")
            }
        };
    }
    Row::ok(VERBS, format!("{hard} files may be open at once"))
}

#[cfg(test)]
mod tests;
