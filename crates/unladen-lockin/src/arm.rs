//! The principal type is [`Arm`]: one combination of knobs, and what it stands for in the design.

/// One combination of knobs that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// What reports call it; no two arms of a design have the same.
    pub name: String,
    /// For each knob, in the order of the experiment, whether it is on.
    pub on: Vec<bool>,
    /// What it stands for, at least one; a combination that a design asks for twice is one arm with both.
    pub roles: Vec<Role>,
}

/// What an arm stands for. Knobs are counted from 0, in the order of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// All knobs are off: what the others are compared with.
    Baseline,
    /// The same once more, as an arm of its own: what differs from the baseline here is noise (the A/A floor).
    BaselineAgain,
    /// The other one of two.
    Candidate,
    /// This knob alone is on.
    Alone(usize),
    /// All knobs are on.
    All,
    /// All knobs but this one are on.
    Without(usize),
    /// This knob and all before it are on.
    UpTo(usize),
    /// One of all combinations; bit k is set where knob k is on.
    Combination(u32),
}

impl Arm {
    /// Whether it stands for this.
    pub fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Finds the arm of a role.
    pub fn with_role(arms: &[Self], role: Role) -> Option<&Self> {
        arms.iter().find(|arm| arm.is(role))
    }
}

impl Role {
    /// As it stands in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::BaselineAgain => "baseline again",
            Self::Candidate => "candidate",
            Self::Alone(_) => "alone",
            Self::All => "all",
            Self::Without(_) => "all but one",
            Self::UpTo(_) => "cumulative",
            Self::Combination(_) => "combination",
        }
    }
}
