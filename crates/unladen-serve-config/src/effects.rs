//! Reads `effects` and `no_effects` of a `[[site]]`.

use unladen_toml::{Bad, Value};

use super::explain::Shown;
use super::level::Level;
use super::reading::Reading;

const FORM: &str = "a path segment such as \"export\" or \"*.cgi\", or a path such as \"/shop/cart*\"";

pub(super) fn read(level: &Level<'_>, r: &mut Reading<'_>) -> (Vec<String>, Vec<String>) {
    let effects = patterns(level, "effects", r);
    let no_effects = patterns(level, "no_effects", r);
    if let Some(both) = effects.iter().find(|text| no_effects.iter().any(|other| other.eq_ignore_ascii_case(text))) {
        let one = || Shown::List(vec![Shown::Text(both.clone())]);
        let why = "a GET has side effects or it has none; remove the pattern from one of the two lists";
        level.contradict(r, ("no_effects", one()), ("effects", one()), why);
    }
    (effects, no_effects)
}

fn patterns(level: &Level<'_>, name: &'static str, r: &mut Reading<'_>) -> Vec<String> {
    let list = |value: &Value<'_>, r: &mut Reading<'_>| {
        let each = value.list("a list of strings, such as [\"export\"]")?;
        let mut texts = Vec::new();
        for one in each {
            let text = pattern(&one);
            texts.extend(r.keep(text));
        }
        Ok(texts)
    };
    let show = |texts: &Vec<String>| Shown::List(texts.iter().map(|text| Shown::Text(text.clone())).collect());
    level.take(name, Vec::new(), r, list, show)
}

/// A decoded path without query; one `*`, at its end or at the beginning of a segment.
fn pattern(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let (start, end) = (text.strip_prefix('*'), text.strip_suffix('*'));
    let is_path = text.starts_with('/');
    let name = start.or(end).unwrap_or(text);
    let is_pattern = !name.is_empty() && !name.contains(['*', '?', '#', '%', ';']) && (is_path || !name.contains('/'));
    if is_pattern { Ok(text.to_owned()) } else { Err(value.refuse(format!("`{text}`"), FORM)) }
}
