//! The principal type is [`Compared`]: what a comparison tells of each box.

use crate::diff::{Diff, DiffRow};
use crate::frame::FrameId;

use super::colour::STEPS;
use super::tree::{Placed, Tree};

/// What has changed, and by how much.
pub(super) struct Compared<'a> {
    /// By the frame's index.
    rows: Vec<Option<&'a DiffRow>>,
    /// By the stack's index.
    told: &'a [bool],
    /// The largest change of a box that is told; never 0.
    largest: f64,
    /// What is said of what is not told from no change.
    pub(super) untold: &'static str,
}

/// How a box is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    /// Not told from no change.
    No,
    /// From 1 to [`STEPS`].
    Grown(usize),
    /// From 1 to [`STEPS`].
    Shrunk(usize),
}

impl<'a> Compared<'a> {
    pub(super) fn new(diff: &'a Diff, tree: &Tree) -> Self {
        let mut rows = vec![None; diff.candidate.frames.len()];
        for row in &diff.rows {
            if let Some(place) = rows.get_mut(row.frame.index()) {
                *place = Some(row);
            }
        }
        let has_intervals = diff.rows.iter().any(|row| row.total_change.interval.is_some());
        let untold = if has_intervals { "no change for certain" } else { "not told: no intervals" };
        let mut compared = Self { rows, told: diff.told(), largest: f64::MIN_POSITIVE, untold };
        let told = tree.boxes.iter().filter(|placed| compared.is_told(placed));
        compared.largest = told.map(|placed| change(placed).abs()).fold(f64::MIN_POSITIVE, f64::max);
        compared
    }

    /// What is known of the function.
    pub(super) fn row(&self, frame: FrameId) -> Option<&'a DiffRow> {
        self.rows.get(frame.index()).copied().flatten()
    }

    /// How a box is coloured.
    pub(super) fn moved(&self, placed: &Placed) -> Moved {
        let change = change(placed);
        if !self.is_told(placed) || change == 0.0 {
            return Moved::No;
        }
        // By the root of the part: small changes are seen too.
        let part = (change.abs() / self.largest).sqrt();
        let step = ((part * STEPS as f64).ceil() as usize).clamp(1, STEPS);
        if change > 0.0 { Moved::Grown(step) } else { Moved::Shrunk(step) }
    }

    /// In words.
    pub(super) fn words(&self, placed: &Placed) -> &'static str {
        match self.moved(placed) {
            Moved::No => self.untold,
            Moved::Grown(_) => "grown",
            Moved::Shrunk(_) => "shrunk",
        }
    }

    fn is_told(&self, placed: &Placed) -> bool {
        self.told.get(placed.stack.index()).copied().unwrap_or_default()
    }
}

/// The candidate's less the baseline's.
pub(super) fn change(placed: &Placed) -> f64 {
    placed.drawn.total - placed.other.total
}

impl Moved {
    /// The class of its colour.
    pub(super) fn class(self) -> String {
        match self {
            Self::No => "e0".to_owned(),
            Self::Grown(step) => format!("u{step}"),
            Self::Shrunk(step) => format!("d{step}"),
        }
    }

    /// What stands before the name, so that the colour is not alone in telling it.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::No => "",
            Self::Grown(_) => "▲ ",
            Self::Shrunk(_) => "▼ ",
        }
    }
}
