//! The principal type is [`ScriptNames`]: which names are programs, and which are sources.

/// Which names are programs that are run. Other names that look like sources are neither run nor sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptNames {
    /// Suffixes of programs: `.php`.
    suffixes: Vec<String>,
}

/// Lower-case extensions of sources: PHP's own, and those that applications give parts of programs.
const SOURCES: [&[u8]; 7] = [b"php", b"phtml", b"phar", b"phps", b"pht", b"phpt", b"inc"];
/// Suffixes that editors, tools and people give copies of a file, besides digits.
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
/// Extensions of page resources: behind a program's name, they mean something else, as in `photo.php.jpg` and a
/// mirror's `index.php.html`. All others mean copies: of package managers (`.dpkg-old`), archives (`.zip`), editors
/// (`.~1~`).
const NO_COPIES: [&[u8]; 30] = [
    b"html", b"htm", b"xhtml", b"css", b"js", b"mjs", b"map", b"json", b"xml", b"rss", b"atom", b"jpg", b"jpeg",
    b"png", b"gif", b"webp", b"avif", b"svg", b"ico", b"pdf", b"woff", b"woff2", b"ttf", b"otf", b"mp3", b"mp4",
    b"webm", b"ogg", b"wasm", b"epub",
];
const MOST_ENDS: usize = 8;

impl ScriptNames {
    /// Programs are names with one of these suffixes, in exactly these letters.
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

    /// Whether a file's name is that of a source or of a copy: `a.php`, `a.PHP`, `a.php.bak`, `a.php~`, `a.php.`,
    /// `a.php.1`, `a.php.zip`. Some file systems do not distinguish some of them.
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
        // A name like this is chosen with a purpose.
        true
    }

    /// Whether a program's name stands before the last suffix, and that suffix does not mean something else. For
    /// lower-case names.
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

    /// For lower-case names.
    fn is_own(&self, name: &[u8]) -> bool {
        self.suffixes.iter().any(|suffix| name.ends_with(suffix.to_ascii_lowercase().as_bytes()))
    }

    /// For lower-case names.
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

/// The part before the last dot, and the suffix; both empty without a dot.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else { return (&[], &[]) };
    (name.get(..dot).unwrap_or_default(), name.get(dot + 1..).unwrap_or_default())
}

#[cfg(test)]
mod tests;
