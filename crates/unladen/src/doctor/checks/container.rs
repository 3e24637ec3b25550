//! The principal type is [`Container`]: what stands between this process and the hardware.

use unladen_machine::{Environment, Virtualisation};

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};

pub(crate) struct Container;

impl Check for Container {
    fn name(&self) -> &'static str {
        "container"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::LOOKING
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        vec![row(&Environment::of_this_machine().virtualisation)]
    }
}

fn row(virtualisation: &Virtualisation) -> Row {
    if virtualisation.container.is_some() {
        return Row::limited(Verb::LOOKING, format!("a container ({virtualisation})"))
            .so("only processes, files and counters of this container are seen")
            .advice("run unladen on the host, or once in each container (weigh --host)");
    }
    match virtualisation.hypervisor {
        Some(hypervisor) => Row::ok(Verb::LOOKING, format!("no container; a virtual machine ({hypervisor})")),
        None => Row::ok(Verb::LOOKING, "no container, no virtual machine"),
    }
}

#[cfg(test)]
mod tests;
