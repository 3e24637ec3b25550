//! The principal type is [`Compared`]: the changes of the boxes.

use crate::diff::{Diff, DiffRow};
use crate::frame::FrameId;

use super::colour::STEPS;
use super::tree::{Placed, Tree};

pub(super) struct Compared<'a> {
    /// By the frame's index.
    rows: Vec<Option<&'a DiffRow>>,
    /// By the stack's index.
    told: &'a [bool],
    /// The largest significant change of a box; never 0.
    largest: f64,
    pub(super) untold: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
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
        let untold = if has_intervals { "no certain change" } else { "unclear: no intervals" };
        let mut compared = Self { rows, told: diff.told(), largest: f64::MIN_POSITIVE, untold };
        let told = tree.boxes.iter().filter(|placed| compared.is_told(placed));
        compared.largest = told.map(|placed| change(placed).abs()).fold(f64::MIN_POSITIVE, f64::max);
        compared
    }

    pub(super) fn row(&self, frame: FrameId) -> Option<&'a DiffRow> {
        self.rows.get(frame.index()).copied().flatten()
    }

    pub(super) fn moved(&self, placed: &Placed) -> Moved {
        let change = change(placed);
        if !self.is_told(placed) || change == 0.0 {
            return Moved::No;
        }
        // By the root of the part, so that small changes are visible.
        let part = (change.abs() / self.largest).sqrt();
        let step = ((part * STEPS as f64).ceil() as usize).clamp(1, STEPS);
        if change > 0.0 { Moved::Grown(step) } else { Moved::Shrunk(step) }
    }

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

/// Candidate minus baseline.
pub(super) fn change(placed: &Placed) -> f64 {
    placed.drawn.total - placed.other.total
}

impl Moved {
    pub(super) fn class(self) -> String {
        match self {
            Self::No => "e0".to_owned(),
            Self::Grown(step) => format!("u{step}"),
            Self::Shrunk(step) => format!("d{step}"),
        }
    }

    /// Precedes the name, so that colour is not the only sign.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::No => "",
            Self::Grown(_) => "▲ ",
            Self::Shrunk(_) => "▼ ",
        }
    }
}
