//! The principal type is [`UrlKnob`]: another URL is requested; nothing is switched.

use url::Url;

use crate::kinds::Kind;
use crate::knob::{Knob, Reach, Wanted};
use crate::read::{self, Bad, Given, Reading, Side, Table};
use std::sync::Arc;

/// The kind as the file knows it.
pub(super) const KIND: Kind =
    Kind { key: "url", with: &[], summary: "requests another URL; nothing is switched", read };

fn read(table: &Table<'_>, side: &Side, _reading: &Reading<'_>) -> Result<Given, Bad> {
    let url = read::url(&table.require(KIND.key, "the URL")?)?;
    Ok(Given::Change(Arc::new(UrlKnob { on: side.on, url })))
}

/// Another URL is requested.
#[derive(Clone, Debug)]
pub struct UrlKnob {
    /// On which side.
    pub on: bool,
    /// The URL.
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
