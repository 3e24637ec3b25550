//! The principal type is [`Statement`]: SQL that both databases understand, with its values.

use std::fmt::Write as _;

use crate::filter::Filter;
use crate::limits::PAGE;
use crate::retention::Retention;
use crate::run_id::RunId;
use crate::store_error::StoreError;

/// SQL with the values of its places `$1`, `$2` …, each of which stands once, in this order: SQLite counts names as
/// they come.
#[derive(Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

/// A value of a statement.
#[derive(Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
}

/// Where the databases differ.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// The function that tells where a text (second) is in another (first), 0 where it is not.
    pub(crate) place_in: &'static str,
    /// The aggregate that makes a JSON text of the columns `key` and `value`.
    pub(crate) labels: &'static str,
}

/// What a row has, before its labels: the order of [`Columns`](crate::columns::Columns).
const COLUMNS: &str = "runs.id, runs.time_ns, verb, target, host, version, ended, commit_id, dirty, document_bytes, \
                       evidence_bytes, stored_bytes";

/// Above all characters of a commit, which are letters and digits.
const LAST: char = '~';

// === impl Statement ===

impl Statement {
    fn new(sql: String) -> Self {
        Self { sql, values: Vec::new() }
    }

    /// A page of runs, newest first.
    pub(crate) fn list(filter: &Filter, dialect: &Dialect) -> Result<Self, StoreError> {
        if filter.limit > PAGE {
            return Err(StoreError::LongPage { limit: filter.limit, most: PAGE });
        }
        let mut statement = Self::new(format!("SELECT {}", selected(dialect)));
        let Order { time, id } = statement.filter(filter, dialect);
        // Writing to a String does not fail.
        let _ = write!(statement.sql, " ORDER BY {time} DESC, {id} DESC LIMIT ");
        statement.value(Value::Integer(filter.limit.into()));
        Ok(statement)
    }

    /// The number of runs that meet the filter.
    pub(crate) fn count(filter: &Filter, dialect: &Dialect) -> Self {
        let mut statement = Self::new("SELECT count(*)".to_owned());
        statement.filter(filter, dialect);
        statement
    }

    /// A run.
    pub(crate) fn run(id: RunId, dialect: &Dialect) -> Self {
        let mut statement = Self::new(format!("SELECT {} FROM runs WHERE id = ", selected(dialect)));
        statement.value(Value::Integer(id.column()));
        statement
    }

    /// The next lower and the next higher number, each or null.
    pub(crate) fn nearest(id: RunId) -> Self {
        let mut statement = Self::new("SELECT (SELECT max(id) FROM runs WHERE id < ".to_owned());
        statement.value(Value::Integer(id.column()));
        statement.sql.push_str("), (SELECT min(id) FROM runs WHERE id > ");
        statement.value(Value::Integer(id.column()));
        statement.sql.push(')');
        statement
    }

    /// The compressed content of `documents` or `evidence`, unless it is larger than it can have been kept.
    pub(crate) fn content(table: &str, id: RunId, most: usize) -> Self {
        // Incompressible bytes grow by a few in a frame.
        let most = most + (most >> 7) + 1024;
        let mut statement =
            Self::new(format!("SELECT content FROM {table} WHERE length(content) <= {most} AND run_id = "));
        statement.value(Value::Integer(id.column()));
        statement
    }

    /// The numbers of runs that do not stay.
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

    /// Removes the runs that do not stay, and returns their numbers.
    pub(crate) fn prune(retention: Retention) -> Self {
        let Self { sql, values } = Self::prunable(retention);
        Self { sql: format!("DELETE FROM runs WHERE id IN ({sql}) RETURNING id"), values }
    }

    fn value(&mut self, value: Value) {
        self.values.push(value);
        // Writing to a String does not fail.
        let _ = write!(self.sql, "${}", self.values.len());
    }

    /// From where, and the conditions. With a label, its runs are followed in their order: they may be few among many.
    fn filter(&mut self, filter: &Filter, dialect: &Dialect) -> Order {
        let mut labels = filter.labels.iter();
        let first = labels.next();
        let order = if first.is_some() { Order::OF_LABEL } else { Order::OF_RUNS };
        let Order { time, id } = order;
        let labelled = "run_labels AS labelled JOIN runs ON runs.id = labelled.run_id";
        self.sql.push_str(" FROM ");
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
            let beginning: String = target.chars().take(200).collect();
            conditions.and("substr(target, 1, 200) = ", Value::Text(beginning), "");
            conditions.and("target = ", text(target), "");
        }
        if let Some(part) = &filter.target {
            conditions.and(&format!("{}(target, ", dialect.place_in), text(part), ") > 0");
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
        if let Some(before) = filter.before {
            conditions.and(&format!("({time}, {id}) < ("), Value::Integer(before.time_ns), ", ");
            conditions.statement.value(Value::Integer(before.id.column()));
            conditions.statement.sql.push(')');
        }
        order
    }
}

/// The columns that tell the place of a run in a list: those of the index that is followed.
struct Order {
    time: &'static str,
    id: &'static str,
}

// === impl Order ===

impl Order {
    const OF_RUNS: Self = Self { time: "runs.time_ns", id: "runs.id" };
    const OF_LABEL: Self = Self { time: "labelled.time_ns", id: "labelled.run_id" };
}

/// The conditions of a statement, each begun by WHERE or AND.
struct Conditions<'a> {
    statement: &'a mut Statement,
    begun: bool,
}

// === impl Conditions ===

impl Conditions<'_> {
    fn and(&mut self, left: &str, value: Value, right: &str) {
        self.statement.sql.push_str(if self.begun { " AND " } else { " WHERE " });
        self.begun = true;
        self.statement.sql.push_str(left);
        self.statement.value(value);
        self.statement.sql.push_str(right);
    }
}

fn selected(dialect: &Dialect) -> String {
    let labels = dialect.labels;
    format!("{COLUMNS}, (SELECT {labels} FROM run_labels WHERE run_id = runs.id)")
}

#[cfg(test)]
mod tests;
