//! The principal type is [`EnvKnob`]: variables in the environment of services, from their next start on.

use std::collections::BTreeMap;

use crate::knob::{Knob, Reach};

/// Variables in the environment of the services that the knob restarts.
#[derive(Clone, Debug)]
pub struct EnvKnob {
    /// On which side they are set; on the other they are as the service sets them itself.
    pub on: bool,
    /// Names and values.
    pub variables: BTreeMap<String, String>,
}

impl Knob for EnvKnob {
    fn what(&self) -> String {
        let names: Vec<&str> = self.variables.keys().map(String::as_str).collect();
        format!("the environment ({})", names.join(", "))
    }

    fn has(&self, on: bool) -> bool {
        self.on == on
    }

    fn reach(&self) -> Reach {
        Reach::System
    }

    fn environment(&self, on: bool) -> Option<&BTreeMap<String, String>> {
        (self.on == on).then_some(&self.variables)
    }
}
