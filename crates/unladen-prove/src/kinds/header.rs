//! The principal type is [`HeaderKnob`]: a header of every request; nothing is switched.

use std::sync::Arc;

use unladen_load::Header;
use unladen_toml::{Bad, Table};

use crate::knob::{Knob, Reach, Wanted};
use crate::read::{Given, Kind, Reading, Side};

pub(super) const KIND: Kind =
    Kind { key: "header", with: &[], summary: "sends a header with every request; nothing is switched", read };

fn read(table: &Table<'_>, side: &Side, _reading: &Reading<'_>) -> Result<Given, Bad> {
    let header = table.require(KIND.key, "the header, as \"Name: value\"")?.parse()?;
    Ok(Given::Change(Arc::new(HeaderKnob { on: side.on, header })))
}

/// A header of every request, which replaces those of its name in `[load]`.
#[derive(Clone, Debug)]
pub struct HeaderKnob {
    pub on: bool,
    pub header: Header,
}

impl Knob for HeaderKnob {
    fn what(&self) -> String {
        format!("the header {}", self.header.name())
    }

    fn claims(&self) -> Vec<String> {
        vec![self.what()]
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
