//! The principal type is [`KindList`]: kinds that are named by patterns, the first of which counts.

use std::io;
use std::path::{Path, PathBuf};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::pattern::Pattern;
use crate::target::Target;

/// Kinds of applications that many have, one file each.
const PRESETS: [&str; 5] = [
    include_str!("presets/mediawiki.txt"),
    include_str!("presets/wordpress.txt"),
    include_str!("presets/forums.txt"),
    include_str!("presets/dokuwiki.txt"),
    include_str!("presets/forges.txt"),
];

/// Most patterns of a file, and its most bytes.
const MOST_PATTERNS: usize = 2_000;
const LONGEST: usize = 1 << 20;

/// A list of patterns, one a line, each with a name after it if it is to have another one: `/wiki/{title*} views`. Empty
/// lines and lines that begin with `#` are skipped.
///
/// ```
/// # use unladen_traffic::KindList;
/// let list = KindList::parse("# mine\n/wiki/{title*}  views\n/shop?view=<each>\n", "kinds.txt".as_ref())?;
/// assert_eq!(list.len(), 2);
/// # Ok::<(), unladen_traffic::KindListError>(())
/// ```
#[derive(Default)]
pub struct KindList {
    patterns: Vec<Pattern>,
    /// Looks for texts that are in all targets of a pattern, all at once.
    anchors: Option<AhoCorasick>,
    of_anchor: Vec<Vec<u32>>,
    without_anchor: Vec<u32>,
}

/// Why a list of kinds was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KindListError {
    #[error("cannot read the kinds {file}: {source}", file = file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("{file}:{line}: {what}, such as `/wiki/{{title*}}` or `*/index.php?action=<each>`", file = file.display())]
    Pattern { file: PathBuf, line: usize, what: &'static str },
    #[error("{file} is too long: at most 2,000 kinds in 1 MiB", file = file.display())]
    Long { file: PathBuf },
}

impl KindList {
    /// Kinds of MediaWiki, WordPress, forums, DokuWiki and Git forges.
    pub fn presets() -> Self {
        let patterns =
            PRESETS.iter().flat_map(|preset| lines(preset)).filter_map(|(_, line)| Pattern::parse(line).ok());
        Self::of(patterns.collect())
    }

    /// Reads a list from a file.
    pub fn read(file: &Path) -> Result<Self, KindListError> {
        let bytes = std::fs::read(file).map_err(|source| KindListError::Read { file: file.to_owned(), source })?;
        Self::parse(&String::from_utf8_lossy(&bytes), file)
    }

    /// Parses a list; `file` is named in errors.
    pub fn parse(text: &str, file: &Path) -> Result<Self, KindListError> {
        let parsed = lines(text).take(MOST_PATTERNS + 1).map(|(line, pattern)| {
            Pattern::parse(pattern).map_err(|what| KindListError::Pattern { file: file.to_owned(), line, what })
        });
        let patterns = parsed.collect::<Result<Vec<_>, _>>()?;
        if patterns.len() > MOST_PATTERNS || text.len() > LONGEST {
            return Err(KindListError::Long { file: file.to_owned() });
        }
        Ok(Self::of(patterns))
    }

    /// These kinds, and those of another list for what is none of them.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::of(self.patterns.into_iter().chain(other.patterns).collect())
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether it names no kind.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    fn of(patterns: Vec<Pattern>) -> Self {
        let mut list = Self { patterns, ..Self::default() };
        let mut anchors: Vec<Vec<u8>> = Vec::new();
        for (index, pattern) in (0_u32..).zip(&list.patterns) {
            let Some(anchor) = pattern.anchor() else {
                list.without_anchor.push(index);
                continue;
            };
            match anchors.iter().position(|known| *known == anchor) {
                Some(at) => list.of_anchor[at].push(index),
                None => {
                    anchors.push(anchor);
                    list.of_anchor.push(vec![index]);
                }
            }
        }
        list.anchors = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(anchors).ok();
        list
    }

    pub(crate) fn pattern(&self, index: u32) -> &Pattern {
        &self.patterns[index as usize]
    }

    /// The first pattern of a target, with the value of its `<each>`.
    pub(crate) fn find<'a>(&self, target: &Target<'a>) -> Option<(u32, &'a [u8])> {
        let mut best: Option<(u32, &[u8])> = None;
        let mut look = |indices: &[u32]| {
            for &index in indices {
                if best.is_some_and(|(best, _)| best <= index) {
                    break;
                }
                if let Some(each) = self.patterns[index as usize].find(target) {
                    best = Some((index, each));
                    break;
                }
            }
        };
        look(&self.without_anchor);
        if let Some(anchors) = &self.anchors {
            for found in anchors.find_overlapping_iter(target.path) {
                look(&self.of_anchor[found.pattern().as_usize()]);
            }
        }
        best
    }
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    (1..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}
