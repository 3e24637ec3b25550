//! The principal type is [`ScriptNames`]: which names are programs, and which are a program's source.

/// Which names are programs that are run. All others that look like a program's source are neither run nor sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptNames {
    /// How their names end: `.php`.
    suffixes: Vec<String>,
}

/// Extensions of sources, in small letters: PHP's own, and those that applications give parts of programs.
const SOURCES: [&[u8]; 7] = [b"php", b"phtml", b"phar", b"phps", b"pht", b"phpt", b"inc"];
/// What editors, tools and people put behind the name of a file that they keep a copy of, besides digits.
const COPIES: [&[u8]; 17] = [
    b"bak",
    b"backup",
    b"old",
    b"orig",
    b"original",
    b"save",
    b"swp",
    b"swo",
    b"swn",
    b"tmp",
    b"temp",
    b"copy",
    b"new",
    b"dist",
    b"rej",
    b"txt",
    b"un",
];
/// Compressed forms that stand for the file itself.
const COMPRESSED: [&[u8]; 3] = [b"br", b"gz", b"zst"];
/// Extensions of what pages are made of: behind the name of a program, they say that it is something else, as in
/// `photo.php.jpg` and in the `index.php.html` of a mirror. All others are of copies: of package managers
/// (`.dpkg-old`), archives (`.zip`), editors (`.~1~`).
const NO_COPIES: [&[u8]; 30] = [
    b"html", b"htm", b"xhtml", b"css", b"js", b"mjs", b"map", b"json", b"xml", b"rss", b"atom", b"jpg", b"jpeg",
    b"png", b"gif", b"webp", b"avif", b"svg", b"ico", b"pdf", b"woff", b"woff2", b"ttf", b"otf", b"mp3", b"mp4",
    b"webm", b"ogg", b"wasm", b"epub",
];
/// A name has no more such ends.
const MOST_ENDS: usize = 8;

impl ScriptNames {
    /// Those whose names end like this, in exactly these letters.
    pub fn new(suffixes: impl IntoIterator<Item = String>) -> Self {
        Self { suffixes: suffixes.into_iter().filter(|suffix| !suffix.is_empty()).collect() }
    }

    /// Whether nothing is run.
    pub fn is_empty(&self) -> bool {
        self.suffixes.is_empty()
    }

    /// Whether a name or path is a program's.
    pub fn is_script(&self, name: &[u8]) -> bool {
        self.suffixes.iter().any(|suffix| name.len() > suffix.len() && name.ends_with(suffix.as_bytes()))
    }

    /// Whether the name of a file is that of a program's source, or of a copy of one: `a.php`, `a.PHP`, `a.php.bak`,
    /// `a.php~`, `a.php.`, `a.php.1`, `a.php.zip`. Some file systems know no difference between some of them.
    pub fn is_source(&self, name: &[u8]) -> bool {
        let mut name = name.to_ascii_lowercase();
        if self.is_kept(&name) {
            return true;
        }
        for _ in 0..MOST_ENDS {
            while let Some(b'.' | b' ' | b'~' | b'#' | b'_' | b'-') = name.last() {
                name.pop();
            }
            if self.is_source_itself(&name) {
                return true;
            }
            let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else { return false };
            let end = name.get(dot + 1..).unwrap_or_default();
            let is_copy = COPIES.contains(&end) || end.iter().all(u8::is_ascii_digit);
            if !is_copy {
                return false;
            }
            name.truncate(dot);
        }
        // Who names a file like this has something in mind.
        true
    }

    /// Whether the name of a program stands before the last end, and that end is not of something else. In small
    /// letters.
    fn is_kept(&self, name: &[u8]) -> bool {
        let (whole, last) = split(name);
        let last =
            if COMPRESSED.contains(&last) && NO_COPIES.contains(&split(whole).1) { split(whole).1 } else { last };
        if NO_COPIES.contains(&last) {
            return false;
        }
        let mut rest = whole;
        while !rest.is_empty() {
            let (before, end) = split(rest);
            // `.inc` also ends the name of a company.
            if self.is_own(rest) || (end != b"inc" && SOURCES.contains(&end)) {
                return true;
            }
            rest = before;
        }
        false
    }

    /// In small letters.
    fn is_own(&self, name: &[u8]) -> bool {
        self.suffixes.iter().any(|suffix| name.ends_with(suffix.to_ascii_lowercase().as_bytes()))
    }

    /// In small letters.
    fn is_source_itself(&self, name: &[u8]) -> bool {
        if self.is_own(name) {
            return true;
        }
        let (_, end) = split(name);
        // `.php5`, `.php_old`, `.php-copy`, `.php copy`
        let is_variant = |end: &[u8]| {
            end.strip_prefix(b"php").is_some_and(|rest| rest.first().is_some_and(|byte| !byte.is_ascii_alphabetic()))
        };
        SOURCES.contains(&end) || is_variant(end)
    }
}

/// What is before the last dot, and its end; without a dot, there is neither.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else { return (&[], &[]) };
    (name.get(..dot).unwrap_or_default(), name.get(dot + 1..).unwrap_or_default())
}

#[cfg(test)]
mod tests;
