//! The principal type is [`Spoiled`]: which blocks a hypervisor or a CPU quota spoiled, and whether they are left out.
//!
//! Leaving out blocks must not select by their figures. So the decision sees the machine's account alone, before any
//! figure of the requests, by these rules:
//!
//! - **Whole blocks** go, never phases. Steal is counted only while there is work, so phases with requests have more of
//!   it, and leaving out phases would leave out those.
//! - **The measure is a rate**: the stolen part of the time with work. Neighbours who take a third of the time do so
//!   whether a block's requests were expensive or cheap, many or few.
//! - **Steal caused by load selects**, whatever is done: if a hypervisor throttles a machine that works too much, the
//!   spoiled blocks are those with the more expensive requests, or with a burst of other work in a phase with requests.
//!   Such steal gives itself away: spoiled blocks have *more* work done in them than the others, while steal by
//!   neighbours leaves less, or as much. If a rank test sees more, no block is left out.
//! - **At most half** of the blocks go, and enough for an interval stay.

use crate::signed_rank::normal_cdf;

/// A block is spoiled from this stolen part of the time with work on: there the CPU times of a kernel that counts
/// stolen time as run are 5 % too long, which is more than a weighing's interval.
const TAKEN: f64 = 0.05;
/// … unless it is less than this part of all the processors' time: ticks of 10 ms are too coarse for less.
const LEAST_TAKEN: f64 = 0.01;
/// A block is also spoiled if its control group was throttled for this part of the elapsed time.
const THROTTLED: f64 = 0.05;
/// Most blocks that are left out, as a part: otherwise the rest would be the exception.
const MOST_LEFT_OUT: f64 = 0.5;
/// The rank test's level. A miss biases, while a false alarm keeps blocks that could have gone; and a single spoiled
/// block of ten or more has to be able to reach it.
const LEVEL: f64 = 0.1;

/// The machine during one block, all its phases together; times in ns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Conditions {
    /// Sum over the phases.
    pub elapsed_ns: f64,
    /// Time of all processors together.
    pub available_ns: f64,
    pub busy_ns: f64,
    /// Time that the hypervisor took from processors with work.
    pub stolen_ns: f64,
    /// Time for which this process's control group was throttled by its CPU quota.
    pub throttled_ns: f64,
}

/// What is done about spoiled blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoiledVerdict {
    NoneSpoiled,
    LeftOut,
    /// They stay: without them, too few would be left.
    TooMany,
    /// They stay: the load itself caused the steal.
    ByLoad,
}

/// Which blocks are spoiled, and whether they are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoiled {
    pub blocks: Vec<bool>,
    pub verdict: SpoiledVerdict,
}

impl Conditions {
    /// Whether a block under these conditions is spoiled.
    pub fn is_spoiled(&self) -> bool {
        let is_stolen = self.stolen_ns >= TAKEN * (self.busy_ns + self.stolen_ns)
            && self.stolen_ns >= LEAST_TAKEN * self.available_ns
            && self.stolen_ns > 0.0;
        let is_throttled = self.throttled_ns > 0.0 && self.throttled_ns >= THROTTLED * self.elapsed_ns;
        is_stolen || is_throttled
    }

    fn busy_share(&self) -> f64 {
        if self.available_ns > 0.0 { self.busy_ns / self.available_ns } else { 0.0 }
    }
}

impl Spoiled {
    /// Decides by the conditions of all blocks; `carries` says whether the blocks marked `true` are enough for the
    /// result.
    ///
    /// ```
    /// use unladen_lockin::{Conditions, Spoiled, SpoiledVerdict};
    ///
    /// let quiet = Conditions { elapsed_ns: 2e9, available_ns: 4e9, busy_ns: 1e9, ..Conditions::default() };
    /// let robbed = Conditions { busy_ns: 0.7e9, stolen_ns: 0.3e9, ..quiet };
    /// let blocks = [quiet, quiet, robbed, quiet, quiet, quiet, quiet];
    /// let spoiled = Spoiled::of(&blocks, |kept| kept.iter().filter(|is_kept| **is_kept).count() >= 6);
    /// assert_eq!(spoiled.verdict, SpoiledVerdict::LeftOut);
    /// assert!(spoiled.is_left_out(2) && !spoiled.is_left_out(1));
    /// ```
    pub fn of(conditions: &[Conditions], carries: impl Fn(&[bool]) -> bool) -> Self {
        let blocks: Vec<bool> = conditions.iter().map(Conditions::is_spoiled).collect();
        let verdict = match blocks.iter().filter(|is_spoiled| **is_spoiled).count() {
            0 => SpoiledVerdict::NoneSpoiled,
            spoiled if spoiled as f64 > MOST_LEFT_OUT * blocks.len() as f64 => SpoiledVerdict::TooMany,
            _ if !carries(&blocks.iter().map(|is_spoiled| !is_spoiled).collect::<Vec<_>>()) => SpoiledVerdict::TooMany,
            _ if is_by_load(conditions, &blocks) => SpoiledVerdict::ByLoad,
            _ => SpoiledVerdict::LeftOut,
        };
        Self { blocks, verdict }
    }

    /// Number of spoiled blocks.
    pub fn count(&self) -> usize {
        self.blocks.iter().filter(|is_spoiled| **is_spoiled).count()
    }

    /// Whether a block is left out.
    pub fn is_left_out(&self, block: usize) -> bool {
        self.verdict == SpoiledVerdict::LeftOut && self.blocks.get(block).is_some_and(|is_spoiled| *is_spoiled)
    }
}

fn is_by_load(conditions: &[Conditions], spoiled: &[bool]) -> bool {
    let of = |wanted: bool| -> Vec<f64> {
        let blocks = conditions.iter().zip(spoiled).filter(|(_, is_spoiled)| **is_spoiled == wanted);
        blocks.map(|(block, _)| block.busy_share()).collect()
    };
    p_value_of_larger(&of(true), &of(false)) <= LEVEL
}

/// Exact distribution of the rank test up to here, the normal approximation beyond.
const EXACT_UP_TO: usize = 60;

/// Probability that random ranks have at least the sum of those of `larger`: small if its values lie above the
/// `others`'. Equal values each have their mean rank. 1 if either is empty. (Wilcoxon 1945; Mann & Whitney 1947, *Ann.
/// Math. Stat.* 18:50; Hollander, Wolfe & Chicken, *Nonparametric Statistical Methods*, 3rd ed., ch. 4.)
fn p_value_of_larger(larger: &[f64], others: &[f64]) -> f64 {
    if larger.is_empty() || others.is_empty() {
        return 1.0;
    }
    let ranks = doubled_ranks(larger, others);
    let observed: usize = ranks[..larger.len()].iter().sum();
    if ranks.len() > EXACT_UP_TO {
        normal(&ranks, larger.len(), observed)
    } else {
        exact(&ranks, larger.len(), observed)
    }
}

/// Ranks of `larger`, then of `others`, times two, so that mean ranks are whole.
fn doubled_ranks(larger: &[f64], others: &[f64]) -> Vec<usize> {
    let all: Vec<f64> = larger.iter().chain(others).copied().collect();
    let rank = |value: &f64| {
        let below = all.iter().filter(|other| other.total_cmp(value).is_lt()).count();
        let equal = all.iter().filter(|other| other.total_cmp(value).is_eq()).count();
        2 * below + equal + 1
    };
    all.iter().map(rank).collect()
}

/// The part of all choices of `chosen` ranks with at least this sum.
fn exact(ranks: &[usize], chosen: usize, observed: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    // ways[k][s]: the part of 2ⁿ subsets with k ranks and the sum s. Halves instead of counts fit an f64.
    let mut ways = vec![vec![0.0; most + 1]; chosen + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for k in (0..=chosen).rev() {
            for sum in (0..=most).rev() {
                let with_it = if k > 0 && sum >= *rank { ways[k - 1][sum - rank] } else { 0.0 };
                ways[k][sum] = 0.5 * (ways[k][sum] + with_it);
            }
        }
    }
    let all: f64 = ways[chosen].iter().sum();
    ways[chosen][observed.min(most)..].iter().sum::<f64>() / all
}

fn normal(ranks: &[usize], chosen: usize, observed: usize) -> f64 {
    let (n, k) = (ranks.len() as f64, chosen as f64);
    let mean = ranks.iter().sum::<usize>() as f64 / n;
    let variance = ranks.iter().map(|rank| (*rank as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0);
    // Without replacement; ties are in the variance of the ranks.
    let sd = (variance * k * (n - k) / n).sqrt();
    if sd == 0.0 {
        return 1.0;
    }
    // Half a step down to the sum below; sums of doubled ranks go by two without ties.
    normal_cdf((k * mean - (observed as f64 - 1.0)) / sd)
}

#[cfg(test)]
mod tests;
