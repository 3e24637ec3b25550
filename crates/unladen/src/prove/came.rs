//! The arms' answers: [`tell`] puts them into the result, with doubts about comparing them.

use unladen_document::Answer;
use unladen_load::Sample;
use unladen_lockin::Arm;
use unladen_prove::AnswerPart;

use crate::answered::is_alike;
use crate::prove::measured::{BASELINE, BASELINE_AGAIN};

/// The trial answer to one URL of an arm.
#[derive(Clone)]
pub(crate) struct Came {
    pub(crate) sample: Sample,
    pub(crate) answer: Answer,
}

/// Puts the answers into the results. `came` has those of each arm, in the order of the arms, and is empty if other
/// hosts sent. `expected` is what the knobs are to change.
pub(crate) fn tell(arms: &[Arm], came: &[Vec<Came>], expected: &[AnswerPart], results: &mut [unladen_document::Arm]) {
    let of = |index: usize| came.get(index).map(Vec::as_slice).unwrap_or_default();
    for result in results {
        let Some(index) = arms.iter().position(|arm| arm.name == result.name) else { continue };
        result.answers = of(index).iter().map(|came| came.answer.clone()).collect();
        if index == BASELINE || index == BASELINE_AGAIN {
            continue;
        }
        let of_baseline = of(BASELINE).iter().zip(of(BASELINE_AGAIN));
        for ((answer, here), (baseline, again)) in result.answers.iter_mut().zip(of(index)).zip(of_baseline) {
            answer.doubts = doubts(here, baseline, again, expected);
        }
    }
}

/// Reasons against comparing an arm with the baseline, and what to do.
fn doubts(arm: &Came, baseline: &Came, again: &Came, expected: &[AnswerPart]) -> Vec<String> {
    let mut doubts = Vec::new();
    // Doubts about the baseline's answer are stated there.
    doubts.extend(arm.answer.doubts.iter().filter(|doubt| !baseline.answer.doubts.contains(doubt)).cloned());
    let unchanged: Vec<String> = expected
        .iter()
        .filter_map(|part| Some((part, told(part, baseline)?, told(part, arm)?)))
        .filter(|(_, before, after)| before == after)
        .map(|(part, before, _)| format!("{part} ({before})"))
        .collect();
    if !unchanged.is_empty() {
        doubts.push(format!(
            "what the knob should change has not changed: {}. The knob is not the cause of any difference below: \
             check whether it is in force, and whether the requests exercise it.",
            unchanged.join(", ")
        ));
    }
    if !expected.contains(&AnswerPart::Cache) {
        doubts.extend(cached(arm.answer.cache.as_deref(), baseline.answer.cache.as_deref()));
    }
    let is_meant = expected.iter().any(|part| matches!(part, AnswerPart::Status | AnswerPart::Body));
    if !is_meant && is_alike(&baseline.answer, &again.answer) && !is_alike(&baseline.answer, &arm.answer) {
        let told = baseline.answer.told();
        doubts.push(format!("the answer differs from the baseline's ({told}): the arms do not do the same work."));
    }
    doubts
}

/// A cache hides what is behind it.
fn cached(arm: Option<&str>, baseline: Option<&str>) -> Option<String> {
    const DO: &str = "request the application at its own address, or bypass the cache";
    match (arm, baseline) {
        (None, None) => None,
        (Some(arm), None) => Some(format!(
            "a cache answers here ({arm}), but the application answers the baseline: the differences below are mainly \
             the cache's. To see another change, {DO}, in both arms."
        )),
        (None, Some(baseline)) => Some(format!(
            "a cache answers the baseline ({baseline}), but the application answers here: the differences below are \
             mainly the cache's. To see another change, {DO}, in both arms."
        )),
        (Some(arm), Some(_)) => {
            Some(format!("a cache answers in both arms ({arm}): a change behind it cannot show. To see one, {DO}."))
        }
    }
}

/// A part of an answer for comparison; `None` if it says nothing.
fn told(part: &AnswerPart, came: &Came) -> Option<String> {
    let answer = &came.answer;
    Some(match part {
        AnswerPart::Size => format!("{} B", answer.bytes),
        AnswerPart::Status => answer.status.to_string(),
        AnswerPart::Body => answer.digest.clone(),
        AnswerPart::Cache => if answer.cache.is_some() { "a cache" } else { "none" }.to_owned(),
        AnswerPart::Header(name) => {
            let all = came.sample.headers.get_all(name).iter();
            let lines: Vec<String> = all.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
            if lines.is_empty() { "absent".to_owned() } else { crate::answered::inert(&lines.join(", ")) }
        }
    })
}

#[cfg(test)]
mod tests;
