//! Apache httpd: [`see`].

use std::path::Path;

use unladen_trace::ServerSeen;

use super::process::{Server, folder_of, folder_read, plain};

/// Built-in paths of Debian and Fedora.
const USUAL: [&str; 2] = ["/etc/apache2/apache2.conf", "/etc/httpd/conf/httpd.conf"];

/// Its command line stays as it was: `apache2 -f FILE -d FOLDER -k start`.
pub(super) fn see(server: &Server, seen: &mut ServerSeen) {
    let prefix = server.command.option('d').map(|folder| server.path(folder));
    let config = server.command.option('f').map(|given| match &prefix {
        Some(prefix) => plain(&Path::new(prefix).join(given)),
        None => server.path(given),
    });
    let read =
        config.clone().or_else(|| USUAL.iter().find(|file| server.text(file).is_some()).map(|file| (*file).into()));
    if let Some((read, text)) = read.and_then(|read| server.text(&read).map(|text| (read, text))) {
        let root = prefix.clone().or_else(|| value(&text, "ServerRoot")).unwrap_or_else(|| folder_of(&read).to_owned());
        let includes = ["IncludeOptional", "Include"].into_iter().flat_map(|name| values(&text, name));
        seen.folder = includes
            .map(|pattern| plain(&Path::new(&root).join(pattern)))
            .filter_map(|pattern| folder_read(&pattern).map(str::to_owned))
            // Debian has its own commands for its folders of modules and sites.
            .filter(|folder| !["mods-enabled", "sites-enabled"].iter().any(|own| folder.ends_with(own)))
            .find(|folder| server.is_dir(folder));
        seen.read = Some(read);
    }
    seen.needs_signal = config.is_some() || prefix.is_some();
    seen.config = config;
    seen.prefix = prefix;
}

fn value(text: &str, name: &str) -> Option<String> {
    values(text, name).next()
}

/// Values of a directive outside of blocks.
fn values(text: &str, name: &str) -> impl Iterator<Item = String> {
    let mut depth = 0_usize;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        match line {
            _ if line.starts_with("</") => depth = depth.saturating_sub(1),
            _ if line.starts_with('<') => depth += 1,
            _ => {
                let (key, value) = line.split_once(char::is_whitespace)?;
                let is_it = depth == 0 && key.eq_ignore_ascii_case(name);
                return is_it.then(|| value.trim().trim_matches(['"', '\'']).to_owned());
            }
        }
        None
    })
}
