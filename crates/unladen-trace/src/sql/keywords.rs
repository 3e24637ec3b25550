//! Keywords: written in capitals in a fingerprint, and deciding whether a sign belongs to a number.

/// SQL's words, sorted, without those that are often column names (`key`, `type`, `user`, `value`, `status`), which
/// keep their letters.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "ABORT", "ADD", "ALL", "ALTER", "ANALYZE", "AND", "ANY", "ARRAY", "AS", "ASC", "BEGIN", "BETWEEN", "BY", "CALL",
    "CASCADE", "CASE", "CAST", "COLLATE", "COLUMN", "COMMIT", "CONFLICT", "CONSTRAINT", "CREATE", "CROSS",
    "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "DECLARE", "DEFAULT", "DELAYED", "DELETE",
    "DESC", "DESCRIBE", "DISTINCT", "DISTINCTROW", "DIV", "DO", "DROP", "DUMPFILE", "DUPLICATE", "ELSE", "END",
    "ESCAPE", "EXCEPT", "EXECUTE", "EXISTS", "EXPLAIN", "FALSE", "FETCH", "FOR", "FORCE", "FOREIGN", "FROM", "FULL",
    "GLOB", "GRANT", "GROUP", "HAVING", "HIGH_PRIORITY", "IF", "IGNORE", "ILIKE", "IN", "INDEX", "INNER", "INSERT",
    "INTERSECT", "INTERVAL", "INTO", "IS", "ISNULL", "JOIN", "LATERAL", "LEFT", "LIKE", "LIMIT", "LOCK", "LOW_PRIORITY",
    "MATERIALIZED", "MERGE", "MOD", "NATURAL", "NOT", "NOTHING", "NOTNULL", "NOWAIT", "NULL", "NULLS", "OFFSET", "ON",
    "OR", "ORDER", "OUTER", "OUTFILE", "OVER", "PARTITION", "PRAGMA", "PRIMARY", "RECURSIVE", "REFERENCES", "REGEXP",
    "RELEASE", "REPLACE", "RETURNING", "REVOKE", "RIGHT", "RLIKE", "ROLLBACK", "SAVEPOINT", "SELECT", "SET", "SHOW",
    "SIMILAR", "SOME", "SQL_CALC_FOUND_ROWS", "SQL_NO_CACHE", "START", "STRAIGHT_JOIN", "TABLE", "TEMPORARY", "THEN",
    "TO", "TRANSACTION", "TRUE", "TRUNCATE", "UNION", "UNIQUE", "UPDATE", "USE", "USING", "VACUUM", "VALUES", "VIEW",
    "WHEN", "WHERE", "WINDOW", "WITH", "XOR",
];

/// Keywords that are values, so that a sign after them is an operator; sorted.
const OPERANDS: &[&str] =
    &["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "END", "FALSE", "NULL", "TRUE"];

/// Functions often written in either case; in capitals if `(` follows. Sorted.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "ABS", "AVG", "BIT_AND", "BIT_OR", "CEIL", "CHAR_LENGTH", "COALESCE", "CONCAT", "CONCAT_WS", "CONVERT", "COUNT",
    "DATABASE", "DATE", "DATE_ADD", "DATE_FORMAT", "DATE_SUB", "EXTRACT", "FIELD", "FIND_IN_SET", "FLOOR", "FOUND_ROWS",
    "FROM_UNIXTIME", "GET_LOCK", "GREATEST", "GROUP_CONCAT", "IFNULL", "INSTR", "LAST_INSERT_ID", "LEAST", "LENGTH",
    "LOWER", "MAX", "MD5", "MIN", "MONTH", "NOW", "NULLIF", "RAND", "RANDOM", "RELEASE_LOCK", "ROUND", "ROW",
    "ROW_NUMBER", "STRING_AGG", "SUBSTR", "SUBSTRING", "SUM", "TO_CHAR", "TRIM", "UNIX_TIMESTAMP", "UPPER", "VERSION",
    "YEAR",
];

/// Keywords that are functions too: no space before their `(`. Sorted.
#[rustfmt::skip]
const CALLED: &[&str] = &[
    "CAST", "IF", "LEFT", "MOD", "REPLACE", "RIGHT", "TRUNCATE",
];

const LONGEST: usize = 20;

/// The word in capitals, if it is a keyword.
pub(super) fn keyword(word: &str) -> Option<&'static str> {
    find(KEYWORDS, word)
}

/// The word in capitals, if it names a well-known function.
pub(super) fn function(word: &str) -> Option<&'static str> {
    find(FUNCTIONS, word)
}

pub(super) fn is_operand(keyword: &str) -> bool {
    OPERANDS.binary_search(&keyword).is_ok()
}

pub(super) fn is_called(keyword: &str) -> bool {
    CALLED.binary_search(&keyword).is_ok()
}

fn find(list: &'static [&'static str], word: &str) -> Option<&'static str> {
    if word.len() > LONGEST {
        return None;
    }
    let upper = word.to_ascii_uppercase();
    list.binary_search(&upper.as_str()).ok().and_then(|at| list.get(at)).copied()
}

#[cfg(test)]
mod tests;
