//! The functions say what a segment of a path or a value of a query looks like.

/// Placeholder of what is a number, a date, a hash or a UUID in any case.
pub(crate) fn class(text: &[u8]) -> Option<&'static str> {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let is_at = |places: &[usize], byte| places.iter().all(|place| text.get(*place) == Some(&byte));
    let is_made_of = |others: &[u8]| text.iter().all(|byte| byte.is_ascii_digit() || others.contains(byte));
    if is_made_of(b".,-+_:|") {
        let is_date = (text.len() >= 10 && is_at(&[4, 7], b'-')) || (text.len() == 7 && is_at(&[4], b'-'));
        return Some(if is_date {
            "{date}"
        } else if digits > 31 {
            "{hash}"
        } else {
            "{n}"
        });
    }
    if text.len() >= 16 && is_at(&[4, 7], b'-') && matches!(text[10], b'T' | b'_' | b' ' | b'+') {
        return Some("{date}");
    }
    let is_hex = text.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    if is_hex && text.len() == 36 && is_at(&[8, 13, 18, 23], b'-') {
        return Some("{uuid}");
    }
    if is_hex && text.len() >= 7 && digits > 1 && !text.contains(&b'-') {
        return Some("{hash}");
    }
    is_random(text, 20).then_some("{hash}")
}

/// Whether it is a random text in letters of both cases and digits: an id, a key, a signature.
pub(crate) fn is_random(text: &[u8], least: usize) -> bool {
    if text.len() < least || !text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_=.".contains(byte)) {
        return false;
    }
    // What is hexadecimal names a file or a commit.
    if text.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    // In names of people and things digits stand together, and capitals at the beginning of words.
    let changes = text.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    let odd = text.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    changes >= 4 && odd >= 1 || changes >= 8
}

/// Whether a text looks like a name in a program rather than one of its data: short, with at most one separator.
pub(crate) fn is_word(text: &[u8]) -> bool {
    let others = text.iter().filter(|byte| !byte.is_ascii_alphanumeric());
    text.len() <= 24 && others.clone().count() <= 1 && others.into_iter().all(|byte| b"-_.~@".contains(byte))
}

/// Whether a program's name: one kind, however rare.
pub(crate) fn is_script(text: &[u8]) -> bool {
    const ENDINGS: [&[u8]; 9] = [b".php", b".cgi", b".pl", b".fcgi", b".asp", b".aspx", b".jsp", b".do", b".py"];
    text.len() <= 40 && ENDINGS.iter().any(|ending| text.ends_with(ending))
}

/// Whether it can be shown, and stand in a pattern.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    text.len() <= 64 && text.iter().all(|byte| byte.is_ascii_graphic() && !b"{}<>\"`\\*?&=#".contains(byte))
}

/// Writes a name with `{n}` in place of its numbers; false if there are none beside letters. Unless it is to be strict, a
/// single digit that is part of a word (`v1`, `mp3`) stays.
pub(crate) fn mask(text: &[u8], is_strict: bool, to: &mut Vec<u8>) -> bool {
    to.clear();
    let mut is_masked = false;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let run = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if run == 0 {
            // `%C3` is a letter.
            let step = if rest[0] == b'%' { rest.len().min(3) } else { 1 };
            to.extend_from_slice(&rest[..step]);
            at += step;
            continue;
        }
        let is_apart = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphabetic());
        let before = at.checked_sub(1).map(|before| &text[before]);
        if is_strict || run > 1 || is_apart(before) && is_apart(rest.get(run)) {
            to.extend_from_slice(b"{n}");
            is_masked = true;
        } else {
            to.extend_from_slice(&rest[..run]);
        }
        at += run;
    }
    is_masked
}

/// Ending of a name of a generated file, which stays: `{title}.html`.
pub(crate) fn placeholder(text: &[u8]) -> &'static str {
    const ENDINGS: [(&[u8], &str); 6] = [
        (b".html", "{title}.html"),
        (b".htm", "{title}.htm"),
        (b".xml", "{title}.xml"),
        (b".json", "{title}.json"),
        (b".rss", "{title}.rss"),
        (b".atom", "{title}.atom"),
    ];
    ENDINGS.iter().find(|(ending, _)| text.ends_with(ending)).map_or("{title}", |(_, placeholder)| placeholder)
}
