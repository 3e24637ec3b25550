//! The principal type is [`Design`]: which combinations of knobs are measured.
//!
//! ```
//! use unladen_lockin::{Arm, Design, Role};
//!
//! let arms = Design::Ablate.arms(&["class map", "opcode cache"]);
//! let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
//! assert_eq!(names, ["baseline", "baseline again", "class map", "opcode cache", "all"]);
//! // With two knobs, all but the first is the second alone.
//! assert_eq!(Arm::with_role(&arms, Role::Without(0)), Arm::with_role(&arms, Role::Alone(1)));
//! ```

/// The most knobs of a factorial design: 64 arms.
pub const MOST_FACTORS: usize = 6;

/// Which combinations of knobs are measured. Each design has the baseline twice, for the noise floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Design {
    Ab,
    /// Each knob alone: if only one can be on.
    Each,
    /// Each knob alone, all, all but each, and adding one after the other in order.
    Ablate,
    /// All combinations, of at most [`MOST_FACTORS`] knobs.
    Factorial,
}

impl Design {
    /// All designs.
    pub const ALL: [Self; 4] = [Self::Ab, Self::Each, Self::Ablate, Self::Factorial];

    /// The arms for knobs of these names: the baseline, the baseline again, then the others.
    ///
    /// All names and, except for the second baseline, all combinations differ. A factorial design of more than
    /// [`MOST_FACTORS`] knobs, which no experiment has, would be cut off there.
    pub fn arms(self, knobs: &[&str]) -> Vec<Arm> {
        let count = knobs.len();
        let mut arms = Arms { knobs, list: Vec::new() };
        arms.add(Role::Baseline, |_| false);
        arms.list.push(Arm { name: "baseline again".into(), on: vec![false; count], roles: vec![Role::BaselineAgain] });
        match self {
            Self::Ab => arms.add(Role::Candidate, |_| true),
            Self::Each => (0..count).for_each(|knob| arms.add(Role::Alone(knob), |other| other == knob)),
            Self::Ablate => {
                for knob in 0..count {
                    arms.add(Role::Alone(knob), |other| other == knob);
                }
                for last in 0..count {
                    arms.add(Role::UpTo(last), |other| other <= last);
                }
                for knob in 0..count {
                    arms.add(Role::Without(knob), |other| other != knob);
                }
                arms.add(Role::All, |_| true);
            }
            Self::Factorial => {
                for bits in 0..1_u32 << count.min(MOST_FACTORS) {
                    arms.add(Role::Combination(bits), |knob| knob < MOST_FACTORS && bits >> knob & 1 == 1);
                }
                arms.add(Role::All, |_| true);
            }
        }
        arms.list
    }
}

struct Arms<'a> {
    knobs: &'a [&'a str],
    list: Vec<Arm>,
}

impl Arms<'_> {
    fn add(&mut self, role: Role, is_on: impl Fn(usize) -> bool) {
        let on: Vec<bool> = (0..self.knobs.len()).map(is_on).collect();
        match self.list.iter_mut().find(|arm| arm.on == on) {
            Some(arm) => arm.roles.push(role),
            None => self.list.push(Arm { name: self.name(&on), on, roles: vec![role] }),
        }
    }

    fn name(&self, on: &[bool]) -> String {
        let named = |wanted: bool| -> Vec<&str> {
            self.knobs.iter().zip(on).filter(|(_, on)| **on == wanted).map(|(name, _)| *name).collect()
        };
        match (named(true).as_slice(), named(false).as_slice()) {
            ([], _) => "baseline".into(),
            ([alone], _) => (*alone).into(),
            (_, []) => "all".into(),
            // With three knobs, all but one is shorter as the two.
            (some, [left_out]) if some.len() > 2 => format!("all but {left_out}"),
            (some, _) => some.join(" + "),
        }
    }
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Role {
    /// All knobs are off.
    Baseline,
    /// The baseline repeated as an arm of its own: its difference from the baseline is noise (the A/A floor).
    #[strum(serialize = "baseline again")]
    BaselineAgain,
    Candidate,
    Alone(usize),
    All,
    /// All knobs but this one are on.
    #[strum(serialize = "all but one")]
    Without(usize),
    /// This knob and all before it are on.
    #[strum(serialize = "cumulative")]
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

#[cfg(test)]
mod tests;
