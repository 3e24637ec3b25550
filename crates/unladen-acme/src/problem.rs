//! [`text`]: an authority's error as readable text.

use instant_acme::Problem;

const LONGEST: usize = 600;
/// Problems of single names that are shown.
const MOST: usize = 5;

/// In one line: the sentence, the kind in brackets, and the same for single names.
pub(crate) fn text(problem: &Problem) -> String {
    let one = |detail: Option<&String>, kind: Option<&String>| match (detail, kind.map(|kind| short(kind))) {
        (Some(detail), Some(kind)) => format!("{detail} ({kind})"),
        (Some(detail), None) => detail.clone(),
        (None, Some(kind)) => kind.to_owned(),
        (None, None) => "no reason".to_owned(),
    };
    let mut text = one(problem.detail.as_ref(), problem.r#type.as_ref());
    for part in problem.subproblems.iter().take(MOST) {
        let name = part.identifier.as_ref().map_or_else(String::new, |name| format!("{}: ", name.authorized(false)));
        text.push_str(&format!("; {name}{}", one(part.detail.as_ref(), part.r#type.as_ref())));
    }
    clean(&text)
}

/// The last part of its type, such as `rateLimited`.
pub(crate) fn kind(problem: &Problem) -> &str {
    problem.r#type.as_deref().map_or("", short)
}

/// One line of bounded length, without control characters for a terminal.
pub(crate) fn clean(text: &str) -> String {
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = line.take(LONGEST + 1).collect();
    if line.chars().count() > LONGEST {
        line = line.chars().take(LONGEST).chain("…".chars()).collect();
    }
    line.trim().to_owned()
}

fn short(kind: &str) -> &str {
    kind.rsplit(':').next().unwrap_or(kind)
}

#[cfg(test)]
mod tests;
