//! The principal type is [`Reference`]: the results of a run's reference work.

use unladen_lockin::{Estimate, TooFew, ratio};

use crate::reference::kind::ReferenceKind;
use crate::reference::units::{Sum, Unit};
use crate::reference::version::VERSION;

/// How fast the machine was during a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// See [`VERSION`](crate::REFERENCE_VERSION).
    pub version: u32,
    /// One of each kind, in the order of [`ReferenceKind::ALL`].
    pub figures: Vec<Figure>,
    /// Time of pieces and the pauses before them, as a part of the run's, 0 to 1.
    pub cost_share: f64,
}

/// How long a piece of one kind took.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub kind: ReferenceKind,
    /// Time on a processor, in ns a piece; `blocks` is the number of gaps between blocks.
    pub cpu: Estimate,
    /// Elapsed time, in ns a piece, including waits for a processor.
    pub wall: Estimate,
    pub pieces: u32,
}

impl Reference {
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
