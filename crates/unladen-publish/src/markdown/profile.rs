//! [`profile`]: where the code spends its time.

use unladen_document::{Answer, Function, ProfileDocument};
use unladen_quantity::{Kind, grouped, plain};

use super::inert::{code, prose};
use super::sheet::{Sheet, Table};
use super::{about, findings, gates};
use crate::figures::share;

pub(super) fn profile(document: &ProfileDocument, answers: &[(&str, &Answer)], sheet: &mut Sheet) {
    sheet.part(&format!("## Where the time goes: {}", code(&document.target)));
    about::answers(answers, sheet);
    if let Some(setup) = &document.setup {
        about::ended(&setup.ended, sheet);
        let mut text = format!("{}, by {}", code(&setup.group), prose(&setup.how));
        text.push_str(&format!(
            "; a request takes {} without the profiler",
            plain(Kind::Time, setup.plain_ns.value as f64)
        ));
        text.push_str(&format!(", {} with it.", plain(Kind::Time, setup.profiled_ns.value as f64)));
        sheet.part(&text);
    }
    if let Some(own) = document.functions.iter().max_by_key(|function| function.self_weight) {
        let part = share(own.self_share);
        sheet.part(&format!("Most of it, **{part}**, is spent in {} itself.", code(&own.name)));
    }
    gates::gates(&document.gates, sheet);
    findings::findings(&document.findings, sheet);
    let mut table = Table::new(&["function", "itself", "with all that it calls", "calls/request", "place "]);
    for function in &document.functions {
        table.row(vec![
            code(&function.name),
            share(function.self_share),
            share(function.total_share),
            function
                .calls_per_request
                .map(|calls| grouped(calls, if calls < 10.0 { 1 } else { 0 }))
                .unwrap_or_default(),
            place(function),
        ]);
    }
    sheet.table(&table);
}

fn place(function: &Function) -> String {
    match (function.file.is_empty() || function.file == function.name, function.line) {
        (true, _) => String::new(),
        (false, 0) => code(&function.file),
        (false, line) => code(&format!("{}:{line}", function.file)),
    }
}
