//! Uncompressed text for clients that accept compression.

use unladen_trace::{Ask, Evidence, EvidenceSource};

use crate::finding::{Finding, Rule, Share};
use crate::fix::Fix;
use crate::knob::{Knob, Once};
use crate::quoting::word;
use crate::rules::answers::{self, LEAST_BYTES};
use crate::rules::{unladen_site, web_server};
use crate::stack::{Stack, is_apache};
use crate::{server, words};

/// Types for `gzip_types`, besides text/html, which nginx always compresses.
const TYPES: &str = "text/css text/plain text/xml text/javascript application/javascript application/json \
                     application/manifest+json application/xml application/rss+xml application/atom+xml image/svg+xml";

pub(super) const RULE: Rule = Rule {
    name: "uncompressed",
    about: "text is sent uncompressed to clients that accept compression",
    needs: &[EvidenceSource::Response],
    reads: &[],
    page: include_str!("../../pages/uncompressed.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    one(evidence).into_iter().collect()
}

fn one(evidence: &Evidence) -> Option<Finding> {
    let response = answers::page(evidence)?;
    let asked = response.variant(Ask::Compressed)?;
    let kind = response.header("content-type").map(essence).filter(|kind| is_text(kind))?;
    let is_packed = asked.header("content-encoding").is_some_and(|coding| !coding.eq_ignore_ascii_case("identity"));
    if asked.status != 200 || is_packed || asked.body_bytes < LEAST_BYTES || answers::says(response, "no-transform") {
        return None;
    }
    let fix = match web_server::stack(evidence, response) {
        Stack::Apache => {
            // With mod_php it is the application's group, too.
            let apache = web_server::busiest_of(evidence, |group| is_apache(evidence, group));
            let is_elsewhere =
                server::of(evidence, apache).is_some_and(|seen| seen.config.is_some() || seen.prefix.is_some());
            let mut lines = vec![format!("AddOutputFilterByType DEFLATE text/html {TYPES}")];
            if is_elsewhere {
                // a2enmod is for /etc/apache2 alone, which such a server does not read.
                lines.splice(0..0, ["filter", "deflate"].into_iter().flat_map(loaded));
            }
            let mut fix = web_server::apache(evidence, apache, "let Apache compress it", "deflate", lines);
            if !is_elsewhere {
                fix.commands.insert(0, "a2enmod filter deflate".into());
            }
            fix
        }
        Stack::Nginx => nginx(evidence),
        _ => {
            let advice = "`unladen serve` in front, with these lines, compresses with br, zstd or gzip: stored pages \
                          once, not for each request";
            unladen_site::fix(evidence, advice).unwrap_or_else(|| nginx(evidence))
        }
    };
    let fix = switched(evidence, fix);
    let takes = Share::NotKnown("it saves transfer time to the client, which is not measured here".into());
    Some(Finding {
        summary: format!(
            "{} bytes of {kind}, sent uncompressed although the request accepts gzip",
            words::plain(asked.body_bytes as f64)
        ),
        check_again: web_server::again(evidence, &fix),
        ..Finding::of(&RULE, evidence, None, takes, fix)
    })
}

/// A module, unless it is loaded.
fn loaded(module: &str) -> [String; 3] {
    [
        format!("<IfModule !mod_{module}.c>"),
        format!("LoadModule {module}_module /usr/lib/apache2/modules/mod_{module}.so"),
        "</IfModule>".to_owned(),
    ]
}

/// The difference shows for requests that accept compression, in the bytes of the body.
fn switched(evidence: &Evidence, fix: Fix) -> Fix {
    const NAME: &str = "compressed";
    let mut fix = web_server::switched(evidence, fix, NAME);
    let seen = server::of(evidence, fix.group);
    let nginx = word(&web_server::file_of(seen, "/etc/nginx/conf.d", "gzip"));
    let reads = seen.is_none_or(|seen| seen.folder.is_some() || seen.read.is_none());
    if fix.file.is_none() && reads && fix.commands.iter().any(|command| command.ends_with(&nginx)) {
        let back = format!("rm -f {nginx} && {}", server::nginx(seen));
        fix.knob =
            Some(Knob { name: NAME.into(), commands: Some((fix.commands.join(" && "), back)), ..Knob::default() });
    }
    if let Some(knob) = &mut fix.knob {
        knob.header = Some(("Accept-Encoding".into(), "gzip".into()));
        knob.changes = vec!["size".into()];
        knob.once.extend(fix.commands.first().filter(|command| command.starts_with("a2enmod ")).map(|command| Once {
            makes: "/etc/apache2/mods-enabled/deflate.load".into(),
            command: command.clone(),
            undo: Some("a2dismod -q deflate".into()),
        }));
    }
    fix
}

/// A duplicate directive in the same block would make nginx refuse the whole file: Debian's settings have `gzip on;`.
/// So lines that are there already are left out.
fn nginx(evidence: &Evidence) -> Fix {
    let lines = [
        "gzip on;".to_owned(),
        format!("gzip_types {TYPES};"),
        format!("gzip_min_length {LEAST_BYTES};"),
        "gzip_vary on;".into(),
        "gzip_proxied any;".into(),
    ];
    let lines = lines.map(|line| format!("'{line}'")).join(" ");
    let group = web_server::busiest(evidence, Stack::Nginx);
    let seen = server::of(evidence, group);
    let file = web_server::file_of(seen, "/etc/nginx/conf.d", "gzip");
    let told = seen.filter(|seen| seen.folder.is_none()).and_then(|seen| seen.read.as_ref());
    let told = told.map(|read| format!("; {read} includes no folder: add include \"{file}\"; to its block http first"));
    let reload = server::nginx(seen);
    let (tried, taken) = reload.split_once(" && ").unwrap_or((&reload, "true"));
    let shown = tried.strip_suffix("-t").map_or_else(|| "nginx -T".to_owned(), |nginx| format!("{nginx}-T"));
    let file = word(&file);
    let advice = format!(
        "{}{}",
        "switch compression on in nginx: the first command writes the directives that nginx's settings lack; where \
         one of them is already set differently (`gzip off;`, fewer types), change it there",
        told.unwrap_or_default()
    );
    Fix::advice(advice)
    .command(format!(
        "for line in {lines}; do {shown} 2>/dev/null | grep -Eq \"^[[:space:]]*${{line%% *}}[[:space:]]\" || echo \"$line\"; done \
         >{file}"
    ))
    // Refused lines must not remain for the next start.
    .command(format!("{{ {tried} || {{ rm -f {file}; false; }}; }} && {taken}"))
    .of(group)
}

fn essence(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_text(kind: &str) -> bool {
    let whole = ["application/json", "application/javascript", "application/x-javascript", "application/xml"];
    // A compressor would hold back a stream of events, which is sent line by line.
    kind != "text/event-stream"
        && (kind.starts_with("text/") || kind.ends_with("+xml") || kind.ends_with("+json") || whole.contains(&kind))
}

#[cfg(test)]
mod tests;
