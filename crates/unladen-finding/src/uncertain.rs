//! [`uncertain`]: waste that is likely there, and was not seen for certain. A rule speaks only of what is certain, but that
//! it is silent may then not be taken for "there is none".

use std::collections::BTreeSet;

use unladen_trace::Evidence;

use crate::look::look;
use crate::unjudged::{Bearing, Unjudged};

/// At most so many are told, the largest part of the request first: a machine that is this busy has measured little.
const MOST: usize = 12;

/// What a look finds that takes what is likely for certain, and one that does not does not find: one a rule and group.
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
