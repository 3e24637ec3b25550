//! The principal type is [`Reference`]: what came of the reference work of a run.

use unladen_lockin::{Estimate, TooFew, ratio};

use crate::reference::kind::ReferenceKind;
use crate::reference::units::{Sum, Unit};
use crate::reference::version::VERSION;

/// How fast the machine was during a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The version of the pieces, [`VERSION`](crate::REFERENCE_VERSION).
    pub version: u32,
    /// One figure of each kind, in the order of [`ReferenceKind::ALL`].
    pub figures: Vec<Figure>,
    /// The time that pieces and the pauses before them took, as a part of the time of the run, 0 to 1.
    pub cost_share: f64,
}

/// How long a piece of one kind took.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What the pieces exercised.
    pub kind: ReferenceKind,
    /// Time on a processor, in ns a piece; `blocks` is the number of gaps between blocks that it rests on.
    pub cpu: Estimate,
    /// Time from the beginning to the end, in ns a piece: with what it waited for a processor.
    pub wall: Estimate,
    /// How many pieces were run.
    pub pieces: u32,
}

impl Reference {
    /// What the units say.
    ///
    /// # Errors
    /// [`TooFew`] if they carry no interval.
    pub(crate) fn of(units: &[Unit], cost_share: f64) -> Result<Self, TooFew> {
        let figure = |kind: ReferenceKind| {
            let sums: Vec<Sum> = units.iter().map(|unit| unit[kind as usize]).collect();
            let pieces: Vec<f64> = sums.iter().map(|sum| f64::from(sum.pieces)).collect();
            let per_piece =
                |of: fn(&Sum) -> u64| ratio(&sums.iter().map(|sum| of(sum) as f64).collect::<Vec<_>>(), &pieces);
            Ok(Figure {
                kind,
                cpu: per_piece(|sum| sum.cpu_ns)?,
                wall: per_piece(|sum| sum.wall_ns)?,
                pieces: sums.iter().map(|sum| sum.pieces).sum(),
            })
        };
        let figures = ReferenceKind::ALL.into_iter().map(figure).collect::<Result<_, TooFew>>()?;
        Ok(Self { version: VERSION, figures, cost_share })
    }
}

#[cfg(test)]
mod tests;
