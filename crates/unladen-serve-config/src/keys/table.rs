//! How the table of a key is called: [`below`] its `[[outbound]]` or `[[site]]`, and [`headed`] in the file.

/// How a table is called below its `[[outbound]]` or `[[site]]`; empty: it is that one, or the top level.
pub(crate) fn below(table: &'static str) -> &'static str {
    match table {
        "outbound" | "site" => "",
        "country" => "cache.country",
        table => table.strip_prefix("site.").unwrap_or(table),
    }
}

/// How a table is called: where it may stand.
pub(crate) fn headed(table: &'static str) -> Vec<String> {
    match table {
        "" => vec!["the top level".into()],
        "admin" | "log" | "otlp" | "fleet" | "tier" => vec![format!("[{table}]")],
        "outbound" | "site" => vec![format!("[[{table}]]")],
        "upstream" => vec!["`upstream`".into()],
        "tls" | "eab" => vec![format!("`{table}`")],
        "request" | "access" => vec![format!("[site.route.{table}]")],
        "rate" => vec!["[[outbound.rate]]".into(), "[[site.rate]]".into()],
        "validator" | "route" => vec![format!("[[site.{table}]]")],
        "cache" | "trusted" | "clients" | "queue" | "snapshot" | "country" | "acme" | "fastcgi" | "files" => {
            vec![format!("[site.{}]", below(table))]
        }
        of_site if of_site.starts_with("site.") => vec![format!("[{of_site}]")],
        group => vec![format!("[outbound.{group}]"), format!("[site.{group}]")],
    }
}
