//! The principal type is [`Statement`]: SQL for both databases, with its values.

use std::fmt::Write as _;

use crate::limits::PAGE;
use crate::run::RunId;
use crate::store::{Filter, Retention};
use crate::store_error::StoreError;

/// SQL with the values of its placeholders `$1`, `$2` …, each used once and in this order, since SQLite numbers names
/// by their appearance.
#[derive(Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
}

#[derive(Debug)]
pub(crate) struct Dialect {
    /// Function for the position of a text (second) in another (first), 0 if absent.
    pub(crate) place_in: &'static str,
    /// Aggregate of the columns `key` and `value` into a JSON text.
    pub(crate) labels: &'static str,
}

/// Columns of a row before its labels, in the order of [`Columns`](crate::database::Columns).
const COLUMNS: &str = "runs.id, runs.time_ns, verb, target, host, version, ended, commit_id, dirty, document_bytes, \
                       evidence_bytes, stored_bytes";

/// The part of targets in their index.
const BEGINNING: &str = "substr(target, 1, 200)";
const BEGINNING_LENGTH: usize = 200;

/// Maximum number of targets' beginnings to search: a store with more is read run by run.
pub(crate) const BEGINNINGS: i64 = 2_000;

/// Maximum number of matching beginnings to follow one by one.
pub(crate) const FEW_TARGETS: usize = 100;

/// Maximum number of their runs. With more, the first page is found sooner in the order of time.
pub(crate) const FEW_RUNS: i64 = 5_000;

/// Above all characters of a commit, which are letters and digits.
const LAST: char = '~';

impl Statement {
    fn new(sql: String) -> Self {
        Self { sql, values: Vec::new() }
    }

    /// A page of runs, newest first.
    pub(crate) fn list(filter: &Filter, among: &Among, dialect: &Dialect) -> Result<Self, StoreError> {
        if filter.limit > PAGE {
            return Err(StoreError::LongPage { limit: filter.limit, most: PAGE });
        }
        let mut statement = Self::new(format!("SELECT {}", selected(dialect)));
        let Order { time, id } = statement.filter(filter, among, dialect);
        // Writing to a String does not fail.
        let _ = write!(statement.sql, " ORDER BY {time} DESC, {id} DESC LIMIT ");
        statement.value(Value::Integer(filter.limit.into()));
        Ok(statement)
    }

    /// Number of runs that match the filter.
    pub(crate) fn count(filter: &Filter, among: &Among, dialect: &Dialect) -> Self {
        let mut statement = Self::new("SELECT count(*)".to_owned());
        statement.filter(filter, among, dialect);
        statement
    }

    pub(crate) fn run(id: RunId, dialect: &Dialect) -> Self {
        let mut statement = Self::new(format!("SELECT {} FROM runs WHERE id = ", selected(dialect)));
        statement.value(Value::Integer(id.column()));
        statement
    }

    /// The next lower number and the next higher one, a row each, or null.
    pub(crate) fn nearest(id: RunId) -> Self {
        let mut statement = Self::new("SELECT max(id) FROM runs WHERE id < ".to_owned());
        statement.value(Value::Integer(id.column()));
        statement.sql.push_str(" UNION ALL SELECT min(id) FROM runs WHERE id > ");
        statement.value(Value::Integer(id.column()));
        statement
    }

    /// Beginnings of targets that contain this part, or may contain it after their beginnings: a row with the position
    /// and the beginning each. It stops after [`BEGINNINGS`], with a row of null. The index of targets is read once for
    /// each, whatever the number of runs.
    pub(crate) fn beginnings(part: &str, dialect: &Dialect) -> Self {
        let first =
            |condition: &str| format!("(SELECT {BEGINNING} FROM runs {condition} ORDER BY {BEGINNING} LIMIT 1)");
        let mut statement = Self::new(format!(
            "WITH RECURSIVE beginnings (place, text) AS (SELECT CAST(1 AS bigint), {} \
             UNION ALL SELECT place + 1, CASE WHEN place < {BEGINNINGS} THEN {} END \
             FROM beginnings WHERE text IS NOT NULL) \
             SELECT place, text FROM beginnings WHERE text IS NULL AND place > {BEGINNINGS} \
             OR length(text) >= {BEGINNING_LENGTH} OR {}(text, ",
            first(""),
            first(&format!("WHERE {BEGINNING} > text")),
            dialect.place_in,
        ));
        statement.value(Value::Text(part.to_owned()));
        let _ = write!(statement.sql, ") > 0 LIMIT {}", FEW_TARGETS + 1);
        statement
    }

    /// Number of runs whose targets begin so, at most [`FEW_RUNS`] and one more.
    pub(crate) fn few(beginnings: &[String]) -> Self {
        let mut statement = Self::new("SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE ".to_owned());
        statement.begin_with(beginnings);
        let _ = write!(statement.sql, " LIMIT {}) AS few", FEW_RUNS + 1);
        statement
    }

    /// Condition that targets begin with one of these.
    fn begin_with(&mut self, beginnings: &[String]) {
        let _ = write!(self.sql, "{BEGINNING} IN (");
        for (index, beginning) in beginnings.iter().enumerate() {
            self.sql.push_str(if index > 0 { ", " } else { "" });
            self.value(Value::Text(beginning.clone()));
        }
        self.sql.push(')');
    }

    /// Compressed content of `documents` or `evidence`, unless it is larger than what could have been kept.
    pub(crate) fn content(table: &str, id: RunId, most: usize) -> Self {
        // Incompressible bytes grow by a few in a frame.
        let most = most + (most >> 7) + 1024;
        let mut statement =
            Self::new(format!("SELECT content FROM {table} WHERE length(content) <= {most} AND run_id = "));
        statement.value(Value::Integer(id.column()));
        statement
    }

    /// Numbers of runs to remove.
    pub(crate) fn prunable(retention: Retention) -> Self {
        let mut statement = Self::new("SELECT id FROM ".to_owned());
        match retention {
            Retention::Newest(keep) => {
                statement.sql.push_str(
                    "(SELECT id, row_number() OVER (PARTITION BY verb, target ORDER BY time_ns DESC, id DESC) \
                     AS place FROM runs) AS placed WHERE place > ",
                );
                statement.value(Value::Integer(keep.into()));
            }
            Retention::Since(time_ns) => {
                statement.sql.push_str("runs WHERE time_ns < ");
                statement.value(Value::Integer(time_ns));
            }
        }
        statement
    }

    /// Removes runs, and returns their numbers.
    pub(crate) fn prune(retention: Retention) -> Self {
        let Self { sql, values } = Self::prunable(retention);
        Self { sql: format!("DELETE FROM runs WHERE id IN ({sql}) RETURNING id"), values }
    }

    fn value(&mut self, value: Value) {
        self.values.push(value);
        // Writing to a String does not fail.
        let _ = write!(self.sql, "${}", self.values.len());
    }

    /// FROM and WHERE. With a label, its runs are followed in their order, as they may be few out of many.
    fn filter(&mut self, filter: &Filter, among: &Among, dialect: &Dialect) -> Order {
        let mut labels = filter.labels.iter();
        let first = labels.next();
        let order = if first.is_some() { Order::OF_LABEL } else { Order::OF_RUNS };
        let Order { time, id } = order;
        let labelled = "run_labels AS labelled JOIN runs ON runs.id = labelled.run_id";
        self.sql.push_str(" FROM ");
        if let Among::TargetsThatBegin(beginnings) = among {
            self.sql.push_str("(SELECT id AS few_id FROM runs WHERE ");
            self.begin_with(beginnings);
            // SQLite does not swap the sides of a cross join: it would read all runs in the order of the list.
            self.sql.push_str(") AS few CROSS JOIN ");
        }
        self.sql.push_str(if first.is_some() { labelled } else { "runs" });
        let mut conditions = Conditions { statement: self, begun: false };
        let text = |text: &str| Value::Text(text.to_owned());
        if let Some((key, value)) = first {
            conditions.and("labelled.key = ", text(key), "");
            conditions.and("labelled.value = ", text(value), "");
        }
        for (key, value) in labels {
            conditions.and("EXISTS (SELECT 1 FROM run_labels WHERE run_id = runs.id AND key = ", text(key), "");
            conditions.and("value = ", text(value), ")");
        }
        if let Some(verb) = &filter.verb {
            conditions.and("verb = ", text(verb), "");
        }
        if let Some(host) = &filter.host {
            conditions.and("host = ", text(host), "");
        }
        if let Some(target) = &filter.exact_target {
            let beginning: String = target.chars().take(BEGINNING_LENGTH).collect();
            conditions.and(&format!("{BEGINNING} = "), Value::Text(beginning), "");
            conditions.and("target = ", text(target), "");
        }
        if let Some(part) = &filter.target {
            conditions.and(&format!("{}(target, ", dialect.place_in), text(part), ") > 0");
        }
        if matches!(among, Among::TargetsThatBegin(_)) {
            conditions.so(&format!("{id} = few.few_id"));
        }
        if let Some(beginning) = &filter.commit {
            conditions.and("commit_id >= ", text(beginning), "");
            conditions.and("commit_id < ", Value::Text(format!("{beginning}{LAST}")), "");
        }
        if let Some(since) = filter.since_ns {
            conditions.and(&format!("{time} >= "), Value::Integer(since), "");
        }
        if let Some(until) = filter.until_ns {
            conditions.and(&format!("{time} < "), Value::Integer(until), "");
        }
        conditions.among(time, &filter.times_ns);
        if let Some(before) = filter.before {
            conditions.and(&format!("({time}, {id}) < ("), Value::Integer(before.time_ns), ", ");
            conditions.statement.value(Value::Integer(before.id.column()));
            conditions.statement.sql.push(')');
        }
        order
    }
}

/// Columns for the position in a list: those of the index that is followed.
struct Order {
    time: &'static str,
    id: &'static str,
}

impl Order {
    const OF_RUNS: Self = Self { time: "runs.time_ns", id: "runs.id" };
    const OF_LABEL: Self = Self { time: "labelled.time_ns", id: "labelled.run_id" };
}

/// Conditions of a statement, each preceded by WHERE or AND.
struct Conditions<'a> {
    statement: &'a mut Statement,
    begun: bool,
}

impl Conditions<'_> {
    fn so(&mut self, condition: &str) {
        self.statement.sql.push_str(if self.begun { " AND " } else { " WHERE " });
        self.begun = true;
        self.statement.sql.push_str(condition);
    }

    /// One of these numbers, if there are any.
    fn among(&mut self, what: &str, numbers: &[i64]) {
        for (index, number) in numbers.iter().enumerate() {
            if index == 0 {
                self.so(&format!("{what} IN ("));
            } else {
                self.statement.sql.push_str(", ");
            }
            self.statement.value(Value::Integer(*number));
        }
        if !numbers.is_empty() {
            self.statement.sql.push(')');
        }
    }

    fn and(&mut self, left: &str, value: Value, right: &str) {
        self.so("");
        self.statement.sql.push_str(left);
        self.statement.value(value);
        self.statement.sql.push_str(right);
    }
}

fn selected(dialect: &Dialect) -> String {
    let labels = dialect.labels;
    format!("{COLUMNS}, (SELECT {labels} FROM run_labels WHERE run_id = runs.id)")
}

/// Runs that can match a filter, as far as the index of targets shows.
///
/// No index covers parts of a target. But targets repeat: a hundred thousand runs have some hundred of them, and the
/// index leads from each to the next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Among {
    All,
    /// Runs whose targets begin with one of these few.
    TargetsThatBegin(Vec<String>),
    None,
}

#[cfg(test)]
mod tests;
