//! Regular expressions are evaluated tens of thousands of times in a request.

use unladen_trace::{Evidence, EvidenceSource, FunctionSeen};

use crate::finding::{Finding, Rule};
use crate::fix::Fix;
use crate::rules::profiled;

const LEAST_PART: f64 = 0.05;

const OPCODES: &[&str] = &["CORE:match", "CORE:subst", "CORE:substcont", "CORE:regcomp", "CORE:qr", "CORE:split"];
/// Regex libraries: for native code, if its frames have one.
const LIBRARIES: &[&str] = &["libpcre2", "libpcre.so", "libonig", "libre2"];

pub(super) const RULE: Rule = Rule {
    name: "regex-storm",
    about: "a large part of a request evaluates regular expressions",
    needs: &[EvidenceSource::Profile],
    reads: &[],
    page: include_str!("../../pages/regex-storm.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let Some(profile) = profiled::profile(evidence) else { return Vec::new() };
    let Some(function) = profiled::largest(profile, LEAST_PART, is_regex) else { return Vec::new() };
    let is_compiled = function.name.contains("CORE:regcomp");
    let advice = if is_compiled {
        "compile it once: a constant expression, qr// kept outside the loop, or /o where its variable does not change"
    } else {
        "check first whether it can match at all (index, eq, a hash of the words), combine many expressions into one, \
         or keep the results for texts that come again"
    };
    vec![profiled::finding(&RULE, evidence, profile, function, Fix::code(evidence, profile.group, advice))]
}

/// An opcode's name ends that of a subroutine: `Sympa::Scenario::CORE:match`.
fn is_regex(function: &FunctionSeen) -> bool {
    OPCODES.iter().any(|opcode| function.name.ends_with(opcode))
        || LIBRARIES.iter().any(|library| function.file.contains(library))
}

#[cfg(test)]
mod tests;
