//! The principal type is [`Mistakes`]: all mistakes in a file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use crate::bad::Bad;
use crate::bad_place::BadPlace;

/// All mistakes in a file, in the order of its text.
#[derive(Debug)]
pub struct Mistakes {
    pub places: Vec<BadPlace>,
    pub more: usize,
}

/// Most places that are shown: one mistake may cause others.
const MOST_PLACES: usize = 20;

// === impl Mistakes ===

impl Mistakes {
    /// Locates the mistakes in a file's text, each place's equal ones once.
    pub fn new(text: &str, file: &Path, mut bads: Vec<Bad>) -> Self {
        bads.sort_by_key(|bad| bad.span.start);
        let mut places: Vec<BadPlace> = bads.into_iter().map(|bad| BadPlace::new(text, file, bad)).collect();
        // Not only neighbours: a mistake in a default may be found once for each table that uses it.
        let mut seen = BTreeSet::new();
        places.retain(|place| seen.insert((place.line, place.column, place.problem.to_string())));
        let more = places.len().saturating_sub(MOST_PLACES);
        places.truncate(MOST_PLACES);
        Self { places, more }
    }
}

impl std::error::Error for Mistakes {}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, place) in self.places.iter().enumerate() {
            write!(f, "{}{place}", if at > 0 { "\n" } else { "" })?;
        }
        if self.more > 0 { write!(f, "\nand {} more", self.more) } else { Ok(()) }
    }
}
