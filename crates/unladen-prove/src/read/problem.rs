//! The principal type is [`ExperimentProblem`]: what can be wrong with an experiment alone.

use crate::fault::CommandFault;

/// What can be wrong with an experiment alone, and not with any file of TOML.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExperimentProblem {
    /// The command for variables failed.
    #[error("the variables are not to be had: {fault}")]
    Variables {
        /// Why.
        fault: Box<CommandFault>,
    },
    /// A name that was given before.
    #[error("there are two {what} of the name `{name}`: give this one another")]
    Twice {
        /// Of what.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A service that there is not.
    #[error("there is no service `{name}`; {meant}")]
    UnknownService {
        /// The name.
        name: String,
        /// What was probably meant, or what there is.
        meant: String,
    },
    /// A command that goes one way only.
    #[error(
        "the knob `{knob}` has a command for `{has}` and none for `{lacks}`: what a command does, only another can undo \
         (`true` does nothing)"
    )]
    OneWay {
        /// The knob.
        knob: String,
        /// The side that has one.
        has: &'static str,
        /// The side that has none.
        lacks: &'static str,
    },
    /// Two changes of one thing, of which the second would undo the first.
    #[error("{what} is changed by {first} already: what it is would depend on the order")]
    Claimed {
        /// What.
        what: String,
        /// By whom.
        first: String,
    },
    /// A design that does not fit the knobs.
    #[error("the design `{design}` {needs}, and there are {knobs}: {instead}")]
    Design {
        /// The design.
        design: &'static str,
        /// How many knobs it needs.
        needs: &'static str,
        /// How many there are.
        knobs: usize,
        /// What to do in its place.
        instead: &'static str,
    },
}
