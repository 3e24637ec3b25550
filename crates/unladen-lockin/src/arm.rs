//! The principal type is [`Arm`]: one combination of knobs, and its roles in the design.

/// A measured combination of knobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Name in reports, unique in a design.
    pub name: String,
    /// Whether each knob is on, in the order of the experiment.
    pub on: Vec<bool>,
    /// At least one; a combination that a design needs twice is one arm with both roles.
    pub roles: Vec<Role>,
}

/// The role of an arm. Knobs are counted from 0, in the order of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// All knobs are off.
    Baseline,
    /// The baseline repeated as an arm of its own: its difference from the baseline is noise (the A/A floor).
    BaselineAgain,
    Candidate,
    Alone(usize),
    All,
    /// All knobs but this one are on.
    Without(usize),
    /// This knob and all before it are on.
    UpTo(usize),
    /// One of all combinations; bit k is set where knob k is on.
    Combination(u32),
}

impl Arm {
    /// Whether it has this role.
    pub fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Finds the arm of a role.
    pub fn with_role(arms: &[Self], role: Role) -> Option<&Self> {
        arms.iter().find(|arm| arm.is(role))
    }
}

impl Role {
    /// Name in results.
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
