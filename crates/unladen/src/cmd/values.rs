//! Values on the command line that several commands take.

/// `2%` or `0.02`, as a share.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let share = match text.strip_suffix('%') {
        Some(number) => number.trim().parse().map(|number: f64| number / 100.0),
        None => text.parse(),
    };
    match share {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a percentage above 0% and below 100%, such as 2%".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_and_shares_are_the_same() {
        assert_eq!(percent("2%"), Ok(0.02));
        assert_eq!(percent("0.02"), Ok(0.02));
        for wrong in ["2", "0%", "-1%", "100%", "x", "NaN", ""] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
