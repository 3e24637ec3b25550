//! The principal type is [`Mistakes`]: all that is wrong with a file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use crate::bad::Bad;
use crate::bad_place::BadPlace;

/// All that is wrong with a file, in the order of its text.
#[derive(Debug)]
pub struct Mistakes {
    /// The first of them.
    pub places: Vec<BadPlace>,
    /// How many there are besides.
    pub more: usize,
}

/// The most places that are shown: one mistake may bring others about.
const MOST_PLACES: usize = 20;

// === impl Mistakes ===

impl Mistakes {
    /// Of the text of a file; what is said twice of one place is said once.
    pub fn new(text: &str, file: &Path, mut bads: Vec<Bad>) -> Self {
        bads.sort_by_key(|bad| bad.span.start);
        let mut places: Vec<BadPlace> = bads.into_iter().map(|bad| BadPlace::new(text, file, bad)).collect();
        // Not only neighbours: what a default is refused for may come up once for each table that it is a default of.
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
