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
    b"un~",
];
/// A name has no more such ends.
const MOST_ENDS: usize = 8;

// === impl ScriptNames ===

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
    /// `a.php~`, `a.php.`, `a.php.1`. Some file systems know no difference between some of them.
    pub fn is_source(&self, name: &[u8]) -> bool {
        let mut name = name.to_ascii_lowercase();
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

    /// In small letters.
    fn is_source_itself(&self, name: &[u8]) -> bool {
        let own = |suffix: &String| {
            let suffix = suffix.as_bytes().to_ascii_lowercase();
            name.ends_with(&suffix)
        };
        if self.suffixes.iter().any(own) {
            return true;
        }
        let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else { return false };
        let end = name.get(dot + 1..).unwrap_or_default();
        // `.php5`, `.php_old`, `.php-copy`, `.php copy`
        let is_variant = |end: &[u8]| {
            end.strip_prefix(b"php").is_some_and(|rest| rest.first().is_some_and(|byte| !byte.is_ascii_alphabetic()))
        };
        SOURCES.contains(&end) || is_variant(end)
    }
}

#[cfg(test)]
mod tests;
