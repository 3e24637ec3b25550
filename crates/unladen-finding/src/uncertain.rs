//! [`uncertain`]: likely waste that was not seen for certain. A rule reports only what is certain, but its silence may
//! then not be taken for "there is none".

use std::collections::BTreeSet;

use unladen_trace::Evidence;

use crate::look::look;
use crate::unjudged::{Bearing, Unjudged};

/// Most that are reported, the largest part first: a machine this busy has measured little.
const MOST: usize = 12;

/// Findings that appear only if the likely is taken for certain: one a rule and group.
pub(crate) fn uncertain(evidence: &Evidence) -> Vec<Unjudged> {
    let certain: BTreeSet<_> = look(evidence).into_iter().map(|finding| (finding.rule, finding.group)).collect();
    let mut told = certain.clone();
    let likely = look(&evidence.likely()).into_iter();
    likely
        .filter(|finding| told.insert((finding.rule, finding.group.clone())))
        .take(MOST)
        .map(|finding| Unjudged {
            what: if finding.group.is_empty() { "what the page answers".to_owned() } else { finding.group },
            why: format!("`{}` is likely, but not certain: {}", finding.rule, finding.summary),
            takes: "a quieter time, or a longer one (--time)".to_owned(),
            rules: vec![finding.rule],
            bearing: Bearing::Uncertain,
        })
        .collect()
}

#[cfg(test)]
mod tests;
