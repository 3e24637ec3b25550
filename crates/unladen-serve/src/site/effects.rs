//! The principal type is [`Effects`]: which GETs may do something, by their path.

use std::borrow::Cow;
use std::iter::once;

use percent_encoding::percent_decode;

/// Path segments whose GETs do something, or depend on who asks, whatever a validator says: PHP programs, and the usual
/// names of WordPress and others.
const USUAL: [&str; 10] =
    ["*.php", "wp-admin", "cron", "admin", "administrator", "login", "logout", "signin", "signout", "unsubscribe"];

/// The PHP program that shows pages; any other does something.
const FRONT_CONTROLLER: &str = "index.php";

#[derive(Clone, Debug)]
pub(crate) struct Effects {
    /// Configured effects, which take precedence.
    own: Vec<EffectPattern>,
    /// Usual ones configured as harmless.
    harmless: Vec<EffectPattern>,
    usual: Vec<EffectPattern>,
}

/// A segment of a path, or, beginning with `/`, a whole path; `*` at an end is anything. Case-insensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EffectPattern(String);

impl Effects {
    /// The usual ones without those of `no_effects`, and those of `effects`.
    pub(crate) fn new(effects: &[String], no_effects: &[String]) -> Self {
        let patterns = |texts: &[String]| texts.iter().cloned().map(EffectPattern).collect();
        let mut harmless: Vec<EffectPattern> = patterns(no_effects);
        harmless.push(EffectPattern(FRONT_CONTROLLER.to_owned()));
        let usual = USUAL.iter().map(|text| EffectPattern((*text).to_owned())).collect();
        Self { own: patterns(effects), harmless, usual }
    }

    /// Pattern by which a GET for this target may do something, if any. Then validators for many pages are not asked,
    /// as they know nothing of its answer.
    pub(crate) fn of(&self, target: &[u8]) -> Option<&str> {
        let path = decoded(target.split(|byte| *byte == b'?').next().unwrap_or_default());
        // Java servers end a segment's name at `;`, others include it.
        let has_parameters = path.contains(&b';');
        let segments = || {
            let named = move |whole| has_parameters.then(|| named(whole));
            path.split(|byte| *byte == b'/').flat_map(move |whole| once(whole).chain(named(whole)))
        };
        let own = self.own.iter().find(|pattern| match pattern.is_of_paths() {
            true => pattern.fits(&path),
            false => segments().any(|segment| pattern.fits(segment)),
        });
        if own.is_none() && self.harmless.iter().any(|pattern| pattern.is_of_paths() && pattern.fits(&path)) {
            return None;
        }
        let is_harmless =
            |segment: &[u8]| self.harmless.iter().any(|pattern| !pattern.is_of_paths() && pattern.fits(segment));
        let usual = || {
            segments().filter(|segment| may_be_usual(segment)).find_map(|segment| {
                let pattern = self.usual.iter().find(|pattern| pattern.fits(segment))?;
                (!is_harmless(segment)).then_some(pattern)
            })
        };
        own.or_else(usual).map(|pattern| &*pattern.0)
    }
}

impl EffectPattern {
    fn is_of_paths(&self) -> bool {
        self.0.starts_with('/')
    }

    fn fits(&self, text: &[u8]) -> bool {
        match self.0.as_bytes() {
            [start @ .., b'*'] => text.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start)),
            // A bare ending is no program's name.
            [b'*', end @ ..] => {
                text.len() > end.len()
                    && text.get(text.len() - end.len()..).is_some_and(|own| own.eq_ignore_ascii_case(end))
            }
            whole => text.eq_ignore_ascii_case(whole),
        }
    }
}

/// Cheap test for [`USUAL`], as each request has some segments and most fail it.
fn may_be_usual(segment: &[u8]) -> bool {
    matches!(segment.last(), Some(b'p' | b'P'))
        || segment.first().is_some_and(|first| b"wcalsu".contains(&first.to_ascii_lowercase()))
}

/// As the application's server reads it: `/wp-cr%6Fn.php` is `/wp-cron.php`.
fn decoded(path: &[u8]) -> Cow<'_, [u8]> {
    percent_decode(path).into()
}

fn named(segment: &[u8]) -> &[u8] {
    segment.split(|byte| *byte == b';').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
