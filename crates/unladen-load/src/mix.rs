//! The principal type is [`Mix`]: draws the next request by weight.
//!
//! ```
//! use unladen_load::Mix;
//!
//! let mix = Mix::weighted([(0, 9.0), (2, 1.0)]);
//! assert_eq!(mix.share(2), 0.1);
//! assert_eq!(mix.share(1), 0.0);
//! assert_eq!(Mix::only(3).share(3), 1.0);
//! ```

use serde::{Deserialize, Serialize};

/// Request indices with weights.
///
/// Each request is drawn independently, so that no period of the mix can meet a period of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mix {
    /// Index, and the sum of the weights up to it.
    cumulative: Vec<(usize, f64)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Draw {
    mix: Mix,
    rng: fastrand::Rng,
    drawn: u64,
}

impl Mix {
    /// A mix of one request.
    pub fn only(index: usize) -> Self {
        Self { cumulative: vec![(index, 1.0)] }
    }

    /// Requests with weights; those without a positive weight are left out. If none is left, the mix is the first
    /// request alone.
    pub fn weighted(weights: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let mut sum = 0.0;
        let mut cumulative = Vec::new();
        for (index, weight) in weights {
            if weight > 0.0 && weight.is_finite() {
                sum += weight;
                cumulative.push((index, sum));
            }
        }
        if cumulative.is_empty() { Self::only(0) } else { Self { cumulative } }
    }

    /// Share of a request.
    pub fn share(&self, index: usize) -> f64 {
        let mut before = 0.0;
        let mut share = 0.0;
        for &(other, sum) in &self.cumulative {
            if other == index {
                share += sum - before;
            }
            before = sum;
        }
        share / before
    }

    /// Shares of all requests at once: one by one would take quadratic time.
    pub fn shares(&self, requests: usize) -> Vec<f64> {
        let sum = self.cumulative.last().map_or(0.0, |(_, sum)| *sum);
        let mut shares = vec![0.0; requests];
        let mut before = 0.0;
        for &(index, up_to) in &self.cumulative {
            if let Some(share) = shares.get_mut(index) {
                *share += (up_to - before) / sum;
            }
            before = up_to;
        }
        shares
    }

    /// Number of requests in it.
    pub(crate) fn len(&self) -> usize {
        self.cumulative.len()
    }

    /// Whether it is one: checks one that came from elsewhere.
    pub(crate) fn is_consistent(&self) -> bool {
        !self.cumulative.is_empty()
            && self.cumulative.iter().all(|(_, sum)| sum.is_finite() && *sum > 0.0)
            && self.cumulative.is_sorted_by(|a, b| a.1 <= b.1)
    }

    pub(crate) fn largest(&self) -> usize {
        self.cumulative.iter().map(|(index, _)| *index).max().unwrap_or(0)
    }

    pub(crate) fn draw(self, seed: u64) -> Draw {
        Draw { mix: self, rng: fastrand::Rng::with_seed(seed), drawn: 0 }
    }
}

impl Draw {
    /// Draws request number n of the whole load. Numbers rise; those in between are drawn too, for other hosts to send.
    pub(crate) fn of_number(&mut self, number: u64) -> usize {
        while self.drawn < number {
            self.next();
        }
        self.next()
    }

    pub(crate) fn next(&mut self) -> usize {
        self.drawn += 1;
        match self.mix.cumulative.as_slice() {
            [] => 0,
            [(only, _)] => *only,
            [.., (last, sum)] => {
                let at = self.rng.f64() * sum;
                let position = self.mix.cumulative.partition_point(|&(_, sum)| sum <= at);
                self.mix.cumulative.get(position).map_or(*last, |(index, _)| *index)
            }
        }
    }
}

#[cfg(test)]
mod tests;
