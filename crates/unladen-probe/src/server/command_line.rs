//! The principal type is [`CommandLine`]: what a process was started with, or the title that has overwritten it.

pub(super) struct CommandLine {
    words: Vec<String>,
}

impl CommandLine {
    /// Splits `/proc/PID/cmdline`, whose words end with NUL. A title is one word, padded.
    pub(super) fn of(cmdline: &[u8]) -> Self {
        let words = cmdline.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        let mut words: Vec<String> = words.collect();
        while words.last().is_some_and(String::is_empty) {
            words.pop();
        }
        Self { words }
    }

    /// The title, or the first word.
    pub(super) fn title(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The last value of an option of one letter: `-c FILE`, `-cFILE`.
    pub(super) fn option(&self, letter: char) -> Option<&str> {
        let mut words = self.words.iter().skip(1);
        let mut found = None;
        while let Some(word) = words.next() {
            let Some(rest) = word.strip_prefix('-').and_then(|word| word.strip_prefix(letter)) else { continue };
            found = if rest.is_empty() { words.next().map(String::as_str) } else { Some(rest) };
        }
        found
    }

    /// The last value of a long option: `--name=VALUE`.
    pub(super) fn long_option(&self, name: &str) -> Option<&str> {
        let words = self.words.iter().skip(1).rev();
        words.into_iter().find_map(|word| word.strip_prefix("--")?.strip_prefix(name)?.strip_prefix('='))
    }

    /// The value of an option within a title, whose words are separated by blanks alone: up to the next option of one
    /// letter, as a path may contain blanks.
    pub(super) fn option_in_title(&self, letter: char) -> Option<&str> {
        let title = self.title();
        let (_, rest) = title.rsplit_once(&format!(" -{letter} "))?;
        let is_option = |at: &usize| {
            let mut letters = rest[at + 2..].chars();
            letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
                && letters.next().is_none_or(|after| after == ' ')
        };
        let end = rest.match_indices(" -").map(|(at, _)| at).find(is_option).unwrap_or(rest.len());
        Some(rest[..end].trim()).filter(|value| !value.is_empty())
    }
}
