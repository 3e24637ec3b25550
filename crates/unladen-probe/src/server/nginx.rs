//! nginx: [`see`].

use std::path::Path;

use unladen_trace::ServerSeen;

use super::process::{Server, folder_of, folder_read, plain};

/// Built-in paths of packages.
const USUAL: &str = "/etc/nginx/nginx.conf";
const USUAL_PIDS: [&str; 2] = ["/run/nginx.pid", "/var/run/nginx.pid"];

/// Its title keeps what it was started with: `nginx: master process nginx -c FILE -p FOLDER`.
pub(super) fn see(server: &Server, seen: &mut ServerSeen) {
    let title = server.command.title();
    let option = |letter: char| match title.starts_with("nginx: ") {
        true => server.command.option_in_title(letter),
        false => server.command.option(letter),
    };
    let prefix = option('p').map(|prefix| server.path(prefix));
    let config = option('c').map(|given| match &prefix {
        Some(prefix) => plain(&Path::new(prefix).join(given)),
        None if given.starts_with('/') => plain(Path::new(given)),
        // It lies below the built-in folder, which only its builders know.
        None => plain(&Path::new(folder_of(USUAL)).join(given)),
    });
    let read = config.clone().unwrap_or_else(|| USUAL.to_owned());
    if let Some(text) = server.text(&read) {
        let settings = Settings::of(&text);
        let below = |path: &str, folder: &str| plain(&Path::new(folder).join(path));
        let includes = settings.includes.iter().map(|pattern| below(pattern, folder_of(&read)));
        seen.folder = includes
            .filter_map(|pattern| folder_read(&pattern).map(str::to_owned))
            .find(|folder| server.is_dir(folder));
        seen.needs_signal = !match &settings.pid {
            Some(file) => server.is_pid_file(&below(file, prefix.as_deref().unwrap_or("/usr/share/nginx"))),
            None => USUAL_PIDS.iter().any(|file| server.is_pid_file(file)),
        };
        seen.read = Some(read);
    }
    // Its own `-g` may name another pid file.
    seen.needs_signal |= option('g').is_some();
    seen.config = config;
    seen.prefix = prefix;
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// Patterns of `include` in the `http` block.
    pub(super) includes: Vec<String>,
    pub(super) pid: Option<String>,
}

impl Settings {
    /// Reads directives, as ngx_conf_file.c parses them: words, quotes, comments, blocks.
    pub(super) fn of(text: &str) -> Self {
        let mut settings = Self::default();
        let mut blocks: Vec<String> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        let mut word: Option<String> = None;
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => {
                    let next = letters.next().unwrap_or('\\');
                    word.get_or_insert_default().push(next);
                }
                '"' | '\'' if word.is_none() => {
                    let mut quoted = String::new();
                    while let Some(inner) = letters.next().filter(|inner| *inner != letter) {
                        quoted.push(if inner == '\\' { letters.next().unwrap_or(inner) } else { inner });
                    }
                    words.push(quoted);
                }
                '#' if word.is_none() => drop(letters.by_ref().find(|end| *end == '\n')),
                ';' | '{' | '}' => {
                    words.extend(word.take());
                    match letter {
                        ';' => settings.directive(&blocks, &words),
                        '{' => blocks.push(words.first().cloned().unwrap_or_default()),
                        _ => drop(blocks.pop()),
                    }
                    words.clear();
                }
                blank if blank.is_ascii_whitespace() => words.extend(word.take()),
                letter => word.get_or_insert_default().push(letter),
            }
        }
        settings
    }

    fn directive(&mut self, blocks: &[String], words: &[String]) {
        match (blocks, words) {
            ([http], [include, pattern]) if http == "http" && include == "include" => {
                self.includes.push(pattern.clone());
            }
            ([], [pid, file]) if pid == "pid" => self.pid = Some(file.clone()),
            _ => {}
        }
    }
}
