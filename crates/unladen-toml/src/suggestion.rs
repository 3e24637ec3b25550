//! [`meant`]: guesses which known word a wrong one was meant to be.

/// "did you mean …?", or the list of choices.
pub fn meant(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(other) => format!("did you mean `{other}`?"),
        None if known.is_empty() => "there is none".into(),
        None => {
            format!("expected one of {}", known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The word that was probably meant.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // Two typing errors in a long word, one in a short one.
    let word = word.to_lowercase();
    let near = |other: &&str| strsim::damerau_levenshtein(&word, other);
    let (distance, other) = known.iter().map(|other| (near(other), *other)).min()?;
    (distance <= (other.len() / 3).max(1)).then_some(other)
}
