//! [`is_ascii`]: which characters the terminal shows, by POSIX's variables.

const DECIDING: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// Whether the locale has no UTF-8, so that only ASCII is safe. With no variable set, as in most containers and
/// services, UTF-8 is assumed.
pub(crate) fn is_ascii() -> bool {
    DECIDING
        .iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty())
        .is_some_and(|value| !has_utf8(&value.to_string_lossy()))
}

/// As in `C.UTF-8`, `de_DE.utf8@euro`.
fn has_utf8(locale: &str) -> bool {
    let charset = locale.split_once('.').map_or("", |(_, charset)| charset);
    let charset = charset.split('@').next().unwrap_or_default().to_ascii_lowercase();
    matches!(&*charset, "utf-8" | "utf8")
}

#[cfg(test)]
mod tests;
