//! The principal type is [`HeaderKnob`]: a header of every request; nothing is switched.

use unladen_load::Header;

use crate::knob::{Knob, Reach, Wanted};

/// A header of every request, instead of those of its name that `[load]` has.
#[derive(Clone, Debug)]
pub struct HeaderKnob {
    /// On which side.
    pub on: bool,
    /// The header.
    pub header: Header,
}

impl Knob for HeaderKnob {
    fn what(&self) -> String {
        format!("the header {}", self.header.name())
    }

    fn claim(&self) -> Option<String> {
        Some(self.what())
    }

    fn has(&self, on: bool) -> bool {
        self.on == on
    }

    fn reach(&self) -> Reach {
        Reach::Request
    }

    fn request(&self, on: bool, wanted: &mut Wanted) {
        if self.on == on {
            wanted.headers.retain(|header| header.name() != self.header.name());
            wanted.headers.push(self.header.clone());
        }
    }
}
