//! The principal type is [`ExperimentProblem`]: errors specific to experiments.

use crate::fault::CommandFault;

/// Errors specific to experiments, as opposed to any TOML file.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExperimentProblem {
    #[error("the variables are not to be had: {fault}")]
    Variables { fault: Box<CommandFault> },
    #[error("there are two {what} of the name `{name}`: give this one another")]
    Twice { what: &'static str, name: String },
    #[error("there is no service `{name}`; {meant}")]
    UnknownService { name: String, meant: String },
    #[error(
        "the knob `{knob}` has a command for `{has}` and none for `{lacks}`: what a command does, only another can undo \
         (`true` does nothing)"
    )]
    OneWay { knob: String, has: &'static str, lacks: &'static str },
    /// Two changes of one thing, of which the second would undo the first.
    #[error("{what} is changed by {first} already: what it is would depend on the order")]
    Claimed { what: String, first: String },
    #[error("the design `{design}` {needs}, and there are {knobs}: {instead}")]
    Design { design: &'static str, needs: &'static str, knobs: usize, instead: &'static str },
}
