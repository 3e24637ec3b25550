//! The principal type is [`UrlKnob`]: requests another URL; nothing is switched.

use std::sync::Arc;

use unladen_toml::{Bad, Table};
use url::Url;

use crate::knob::{Knob, Reach, Wanted};
use crate::read::{Given, Kind, Reading, Side, url as read_url};

pub(super) const KIND: Kind =
    Kind { key: "url", with: &[], summary: "requests another URL; nothing is switched", read };

fn read(table: &Table<'_>, side: &Side, _reading: &Reading<'_>) -> Result<Given, Bad> {
    let url = read_url(&table.require(KIND.key, "the URL")?)?;
    Ok(Given::Change(Arc::new(UrlKnob { on: side.on, url })))
}

/// Requests another URL.
#[derive(Clone, Debug)]
pub struct UrlKnob {
    pub on: bool,
    pub url: Url,
}

impl Knob for UrlKnob {
    fn what(&self) -> String {
        format!("the URL {}", self.url)
    }

    fn claims(&self) -> Vec<String> {
        vec!["the URL".into()]
    }

    fn has(&self, on: bool) -> bool {
        self.on == on
    }

    fn reach(&self) -> Reach {
        Reach::Request
    }

    fn request(&self, on: bool, wanted: &mut Wanted) {
        if self.on == on {
            wanted.urls.iter_mut().for_each(|line| line.url = self.url.clone());
        }
    }
}
