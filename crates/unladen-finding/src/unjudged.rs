//! The principal type is [`Unjudged`]: what was not looked at well enough.

/// Something on the request's path that rules could not look at, or not well enough to say that there is nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    /// Example: `www-data php-fpm8.2`.
    pub what: String,
    /// Half a line: `on the path; 12 to 40 ms of CPU per request, not told from its other work`.
    pub why: String,
    /// What would help; empty if nothing does.
    pub takes: String,
    pub rules: Vec<&'static str>,
    pub bearing: Bearing,
}

/// What follows from something that was not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// The rules could not look: a gate on one of them fails.
    Here,
    /// On another machine, or not to be looked at: reported, and no rule has failed.
    Elsewhere,
    /// The rule saw likely waste. A gate fails for certain waste only.
    Uncertain,
}
