//! [`without_secrets`]: a line of a log or of commands without its passwords.
//!
//! Anything that looks like a secret's name with a value, a URL's login, or an HTTP credential counts. Removing a word
//! too many costs nothing; missing one puts somebody's password into a report.

const LEFT_OUT: &str = "…";

/// Parts of names whose values are secret.
const PARTS: &[&str] = &[
    "passw",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "credential",
    "sessid",
    "sessionid",
    "session_id",
    "session-id",
    "csrf",
    "xsrf",
    "signature",
    "oauth",
    "authoriz",
];
/// Whole words of such names: `db.pass`, `REDISCLI_AUTH`, `default_pw`.
const WORDS: &[&str] = &["pass", "pw", "auth", "sid", "cookie", "jwt", "bearer", "dbpass", "userpass", "requirepass"];
/// Headers that are secret as a whole line.
const HEADERS: &[&str] =
    &["authorization", "proxy-authorization", "cookie", "set-cookie", "http_authorization", "http_cookie"];
/// HTTP authentication schemes that precede a credential without a name.
const SCHEMES: &[&str] = &["bearer", "basic", "negotiate"];
/// A shorter word after `Basic` is ordinary language.
const LEAST_CREDENTIAL: usize = 12;
/// Types passwords for ssh, and takes them from the variable of this name.
const SSHPASS: &str = "sshpass";
/// Programs that take `-p` with a password directly behind it.
const PASSWORD_BY_P: &[&str] =
    &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "mariadb-admin", SSHPASS];

/// The text without possible secrets: values of names such as `password`, quoted or not, logins in URLs and in data
/// source names, `Authorization` and cookies, tokens after `Bearer`. It may grow by three bytes per secret.
///
/// ```
/// use unladen_trace::without_secrets;
///
/// assert_eq!(without_secrets("login of ann, password=hunter2 failed"), "login of ann, password=… failed");
/// assert_eq!(without_secrets("GET /?token=4d1f&page=3"), "GET /?token=…&page=3");
/// assert_eq!(without_secrets("curl -H 'Authorization: Bearer 4d1f' a"), "curl -H 'Authorization: Bearer …' a");
/// assert_eq!(without_secrets("to postgres://shop:4d1f@db/shop"), "to postgres://shop:…@db/shop");
/// ```
pub fn without_secrets(text: &str) -> String {
    let mut cursor = Cursor::new(text);
    let mut told = String::with_capacity(text.len());
    // A program that takes `-pSECRET` was called in this line.
    let mut takes_p = false;
    // `sshpass -p SECRET`: unlike the others it also takes a password after a blank.
    let mut takes_blank = false;
    while let Some(letter) = cursor.letter() {
        if letter == '\n' {
            (takes_p, takes_blank) = (false, false);
        }
        if !is_of_name(letter) {
            told.push(letter);
            cursor.skip(letter.len_utf8());
            continue;
        }
        let before = cursor.before();
        let name = cursor.take_while(is_of_name);
        let lower = name.to_ascii_lowercase();
        takes_p |= PASSWORD_BY_P.contains(&lower.as_str());
        takes_blank |= lower == SSHPASS;
        // Only the first: a later one is ssh's port.
        let is_blank_p = name.starts_with("-p") && std::mem::take(&mut takes_blank) && name == "-p";
        if is_web_token(name) {
            told.push_str(LEFT_OUT);
        } else if let Some(short) =
            name.strip_prefix("-p").filter(|rest| takes_p && !rest.is_empty() && !name.starts_with("--"))
        {
            told.push_str(&name[..name.len() - short.len()]);
            told.push_str(LEFT_OUT);
            // The rest that is no name is removed too.
            rest_of_word(&mut cursor, &mut String::new());
        } else if takes_p && name == "-p" && cursor.letter().is_some_and(|next| !next.is_whitespace()) {
            told.push_str(name);
            rest_of_word(&mut cursor, &mut told);
        } else if is_blank_p {
            told.push_str(name);
            blanks(&mut cursor, &mut told);
            rest_of_word(&mut cursor, &mut told);
        } else {
            told.push_str(name);
            behind_name(&lower, before, &mut cursor, &mut told);
        }
    }
    told
}

/// Handles what follows a name; consumes nothing unless it is a secret's.
fn behind_name(name: &str, before: Option<char>, cursor: &mut Cursor<'_>, told: &mut String) {
    if cursor.rest().starts_with("://") {
        url_login(cursor, told);
    } else if let Some(login) = data_source_login(cursor.rest()) {
        cursor.skip(login);
        told.push(':');
        told.push_str(LEFT_OUT);
    } else if SCHEMES.contains(&name) && credential_follows(name, cursor.rest()) {
        blanks(cursor, told);
        value(before, cursor, told);
    } else if matches!(name, "-u" | "--user" | "--proxy-user") {
        user_option(cursor, told);
    } else if is_name_of_secret(name) || name == SSHPASS && cursor.rest().starts_with('=') {
        let Some(length) = separator(cursor.rest(), name.starts_with('-')) else { return };
        told.push_str(cursor.take(length));
        let header = name.trim_start_matches('-');
        if HEADERS.contains(&header) {
            whole_header(before, cursor, told);
        } else {
            value(before, cursor, told);
        }
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

/// Whether a value after this name, in lower case, is secret.
pub(crate) fn is_name_of_secret(name: &str) -> bool {
    let is_word = |word: &str| WORDS.contains(&word);
    PARTS.iter().any(|part| name.contains(part)) || name.split(['_', '-', '.']).any(is_word)
}

/// A JSON Web Token (RFC 7519): three parts, the first of which encodes `{"`.
fn is_web_token(word: &str) -> bool {
    word.starts_with("eyJ") && word.len() > 20 && word.matches('.').count() == 2
}

/// Length of the text between a name and its value: `=`, `: `, ` => `, `" : `, `'] = `; after an option a blank.
fn separator(rest: &str, is_option: bool) -> Option<usize> {
    let mut at = rest.len() - rest.trim_start_matches(['\\', '"', '\'', '`', ']', ')']).len();
    let blank = |at: usize| rest[at..].len() - rest[at..].trim_start_matches([' ', '\t']).len();
    at += blank(at);
    let sign = ["=>", ":=", "==", "=", ":"].into_iter().find(|sign| rest[at..].starts_with(sign));
    match sign {
        Some(sign) => {
            at += sign.len();
            at += blank(at);
        }
        None if is_option && at > 0 && !rest[at..].starts_with('-') => {}
        None => return None,
    }
    (!rest[at..].is_empty() && !rest[at..].starts_with(['\r', '\n'])).then_some(at)
}

/// Removes a value: to the end of its quotation, else to the next blank, in a query to the next field.
fn value(before: Option<char>, cursor: &mut Cursor<'_>, told: &mut String) {
    let mut is_told = false;
    loop {
        let rest = cursor.rest();
        let unescaped = rest.trim_start_matches('\\');
        let escapes = rest.len() - unescaped.len();
        let Some(quote @ ('"' | '\'' | '`')) = unescaped.chars().next() else { break };
        let open = cursor.take(escapes + 1);
        told.push_str(open);
        told.push_str(LEFT_OUT);
        is_told = true;
        match end_of_quotation(cursor.rest(), quote, escapes) {
            Some((end, close)) => {
                cursor.skip(end);
                told.push_str(cursor.take(close));
            }
            None => return cursor.skip(cursor.rest_of_line()),
        }
        // `'it''s'`, and a shell's `'a'b`, go on.
        if !cursor.letter().is_some_and(|next| is_of_name(next) || matches!(next, '"' | '\'' | '`')) {
            return;
        }
    }
    let is_query = matches!(before, Some('?' | '&'));
    let ends = |letter: char| letter.is_whitespace() || is_query && matches!(letter, '&' | '#');
    if !cursor.take_while(|letter| !ends(letter)).is_empty() && !is_told {
        told.push_str(LEFT_OUT);
    }
}

/// Removes the rest of a shell word: to the next blank that is neither quoted nor escaped. An unclosed quotation may
/// have been truncated, and extends to the end of the line.
fn rest_of_word(cursor: &mut Cursor<'_>, told: &mut String) {
    let mut is_told = false;
    while cursor.letter().is_some_and(|letter| !letter.is_whitespace()) {
        if !std::mem::replace(&mut is_told, true) {
            told.push_str(LEFT_OUT);
        }
        let escapes = cursor.take_while(|letter| letter == '\\').len();
        match cursor.letter() {
            Some(quote @ ('"' | '\'' | '`')) => {
                cursor.skip(1);
                let end = end_of_quotation(cursor.rest(), quote, escapes);
                cursor.skip(end.map_or_else(|| cursor.rest_of_line(), |(end, close)| end + close));
            }
            Some('\n') => return,
            other => cursor.skip(other.map_or(0, char::len_utf8)),
        }
    }
}

/// End of a quotation and length of its closing: the same quote, escaped no more than the opening one.
fn end_of_quotation(rest: &str, quote: char, escapes: usize) -> Option<(usize, usize)> {
    let mut run = 0;
    for (at, letter) in rest.char_indices() {
        if letter == '\n' {
            return None;
        }
        if letter == quote && run <= escapes {
            return Some((at - run, run + 1));
        }
        run = if letter == '\\' { run + 1 } else { 0 };
    }
    None
}

/// Removes a header's content, except for the scheme of `Authorization`.
fn whole_header(before: Option<char>, cursor: &mut Cursor<'_>, told: &mut String) {
    let scheme =
        cursor.rest().len() - cursor.rest().trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-').len();
    if cursor.rest()[scheme..].starts_with(' ') && !cursor.rest()[scheme..].trim().is_empty() {
        told.push_str(cursor.take(scheme));
        blanks(cursor, told);
    }
    let line = cursor.rest_of_line();
    let end = match before {
        // In `'Cookie: a=b'` the quotation is the header.
        Some(quote @ ('"' | '\'' | '`')) if cursor.rest()[..line].contains(quote) => {
            end_of_quotation(cursor.rest(), quote, 0).map_or(line, |(end, _)| end)
        }
        _ => line,
    };
    if end > 0 {
        told.push_str(LEFT_OUT);
    }
    cursor.skip(end);
}

/// `-u ann:secret`
fn user_option(cursor: &mut Cursor<'_>, told: &mut String) {
    let rest = cursor.rest();
    let begin = rest.len() - rest.trim_start_matches([' ', '\t', '=', '"', '\'']).len();
    let word = rest[begin..].find(char::is_whitespace).map_or(&rest[begin..], |end| &rest[begin..begin + end]);
    if begin == 0 {
        return;
    }
    if let Some((user, _)) = word.split_once(':').filter(|(_, password)| !password.starts_with("//")) {
        told.push_str(cursor.take(begin + user.len() + 1));
        let quote = rest[..begin].chars().next_back().filter(|last| matches!(last, '"' | '\''));
        match quote {
            Some(quote) => {
                let end = end_of_quotation(cursor.rest(), quote, 0).map(|(end, _)| end);
                cursor.skip(end.unwrap_or_else(|| cursor.rest_of_line()));
                told.push_str(LEFT_OUT);
            }
            None => rest_of_word(cursor, told),
        }
    }
}

/// The login of a URL, from its `://`, even if its end is truncated.
fn url_login(cursor: &mut Cursor<'_>, told: &mut String) {
    told.push_str(cursor.take("://".len()));
    let rest = cursor.rest();
    let word =
        rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>')).unwrap_or(rest.len());
    let word = &rest[..word];
    let authority = &word[..word.find(['/', '?', '#']).unwrap_or(word.len())];
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let login = match (authority.rfind('@'), authority.split_once(':')) {
        (Some(at), _) => at,
        // A password may contain characters that end an authority, and be truncated before its `@`.
        (None, Some((_, port))) if !is_port(port) && !authority.starts_with('[') => {
            word.rfind('@').unwrap_or(word.len())
        }
        // Otherwise its port would be taken for a password.
        _ => return told.push_str(cursor.take(authority.len())),
    };
    if let Some((user, _)) = word[..login].split_once(':') {
        told.push_str(user);
        told.push(':');
    }
    told.push_str(LEFT_OUT);
    cursor.skip(login);
}

/// Length of `:password` in a login before a host without a scheme: `shop:secret@tcp(db:3306)/shop`.
fn data_source_login(rest: &str) -> Option<usize> {
    let password = rest.strip_prefix(':')?;
    let word = password.find(char::is_whitespace).map_or(password, |end| &password[..end]);
    let at = word.rfind('@').filter(|at| *at > 0)?;
    let is_host = word[at + 1..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '[' | '(' | '/'));
    let is_port = word[..at].trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('/');
    (is_host && !is_port).then_some(1 + at)
}

/// Whether a credential follows a scheme's name: after `Bearer` anything does.
fn credential_follows(scheme: &str, rest: &str) -> bool {
    let word = rest.trim_start_matches([' ', '\t']);
    let length = word.find(char::is_whitespace).unwrap_or(word.len());
    let is_apart = word.len() < rest.len();
    is_apart && length > 0 && (scheme == "bearer" || length >= LEAST_CREDENTIAL)
}

fn blanks(cursor: &mut Cursor<'_>, told: &mut String) {
    told.push_str(cursor.take_while(|letter| matches!(letter, ' ' | '\t')));
}

/// A forward-only position in a text.
#[derive(Debug)]
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn letter(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn before(&self) -> Option<char> {
        self.text.get(..self.at)?.chars().next_back()
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.text.len().min(self.at + bytes);
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let rest = self.rest();
        let passed = rest.get(..bytes).unwrap_or(rest);
        self.at += passed.len();
        passed
    }

    fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest().find(|letter| !holds(letter)).unwrap_or(self.rest().len());
        self.take(length)
    }

    fn rest_of_line(&self) -> usize {
        self.rest().find('\n').unwrap_or(self.rest().len())
    }
}

/// Prefixes of session files of PHP, CodeIgniter, Django.
const SESSION_BEGINNINGS: &[&str] = &["sess_", "ci_session", "sessionid"];
/// Folders of session files, such as Laravel's `storage/framework/sessions`.
const SESSION_FOLDERS: &[&str] = &["session", "sessions"];
/// Shortest name of a session: PHP's have at least 22 characters.
const LEAST_SESSION: usize = 16;

/// Removes what would let a reader in: the name of a session gives access to it. Also secrets in a cached page's query.
pub(crate) fn path_without_secrets(path: String) -> String {
    let begin = path.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, name) = path.split_at(begin);
    if let Some(start) =
        SESSION_BEGINNINGS.iter().find_map(|start| is_session(name.strip_prefix(start)?).then_some(*start))
    {
        return format!("{}{start}{LEFT_OUT}", of_folder(folder));
    }
    let parent = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if SESSION_FOLDERS.contains(&parent) {
        let (stem, end) = name.split_at(name.find('.').unwrap_or(name.len()));
        if is_session(stem) {
            return format!("{}{LEFT_OUT}{end}", of_folder(folder));
        }
    }
    if path.contains('=') { without_secrets(&path) } else { path }
}

/// A folder may be a server's address with its password, which PHP accepts for its sessions.
fn of_folder(folder: &str) -> String {
    match folder.strip_suffix('/').filter(|folder| folder.contains('=')) {
        Some(folder) => without_secrets(folder) + "/",
        None => folder.to_owned(),
    }
}

/// Letters and digits as in PHP's ids; or their replacement.
fn is_session(id: &str) -> bool {
    let is_of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b',' | b'-');
    let is_one = id.len() >= LEAST_SESSION && id.bytes().all(is_of_id) && id.bytes().any(|byte| byte.is_ascii_digit());
    is_one || id == LEFT_OUT
}

#[cfg(test)]
mod tests;
