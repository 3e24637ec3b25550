//! The principal type is [`UrlKnob`]: another URL is requested; nothing is switched.

use url::Url;

use crate::knob::{Knob, Reach, Wanted};

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

    fn claim(&self) -> Option<String> {
        Some("the URL".into())
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
