//! The principal type is [`Unjudged`]: what was not looked at well enough.

/// Something on the request's path that rules could not look at, or not well enough to say that there is nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    /// What: `www-data php-fpm8.2`.
    pub what: String,
    /// Why, in half a line: `on the path; 12 to 40 ms of CPU per request, not told from its other work`.
    pub why: String,
    /// What it takes; empty where nothing helps.
    pub takes: String,
    /// The rules that may have missed something.
    pub rules: Vec<&'static str>,
    /// What follows from it.
    pub bearing: Bearing,
}

/// What follows from something that was not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// The rules could not look: a gate that asks for one of them fails.
    Here,
    /// It is another machine's, or none of those who were to be looked at: it is told, and no rule is held to have failed.
    Elsewhere,
    /// The rule looked, and what it saw is likely waste, but not for certain. A gate fails for what is certain alone.
    Uncertain,
}
