//! Words that identify error and login pages, in the most common languages of the web. They are compared with a whole
//! part of a title, without digits and punctuation: `Error handling in Rust` is no error.

pub(super) const ERRORS: &[&str] = &[
    // English
    "error",
    "page not found",
    "not found",
    "file not found",
    "forbidden",
    "access denied",
    "permission denied",
    "unauthorized",
    "bad request",
    "bad gateway",
    "gateway timeout",
    "gateway time out",
    "internal server error",
    "server error",
    "application error",
    "database error",
    "fatal error",
    "error establishing a database connection",
    "something went wrong",
    "service unavailable",
    "service temporarily unavailable",
    "temporarily unavailable",
    "under maintenance",
    "maintenance",
    "maintenance mode",
    "down for maintenance",
    "too many requests",
    "oops",
    "whoops",
    "just a moment",
    "attention required",
    "are you a robot",
    "security check",
    "checking your browser",
    "making sure youre not a bot",
    "invalid token",
    "session expired",
    // German
    "fehler",
    "nicht gefunden",
    "seite nicht gefunden",
    "zugriff verweigert",
    "kein zugriff",
    "keine berechtigung",
    "wartung",
    "wartungsarbeiten",
    "wartungsmodus",
    "nicht verfügbar",
    "interner serverfehler",
    "serverfehler",
    "sitzung abgelaufen",
    // French
    "erreur",
    "introuvable",
    "page introuvable",
    "page non trouvée",
    "accès refusé",
    "accès interdit",
    "site en maintenance",
    "en maintenance",
    "service indisponible",
    "erreur interne du serveur",
    "session expirée",
    // Spanish
    "página no encontrada",
    "no encontrado",
    "acceso denegado",
    "en mantenimiento",
    "mantenimiento",
    // Italian
    "errore",
    "pagina non trovata",
    "accesso negato",
    "in manutenzione",
    // Portuguese
    "erro",
    "página não encontrada",
    "acesso negado",
    "em manutenção",
    // Dutch
    "fout",
    "pagina niet gevonden",
    "toegang geweigerd",
    "onderhoud",
    // Polish
    "błąd",
    "nie znaleziono",
    "odmowa dostępu",
];

pub(super) const LOGINS: &[&str] = &[
    // English
    "log in",
    "login",
    "log on",
    "logon",
    "sign in",
    "signin",
    "user login",
    "account login",
    "admin login",
    "login page",
    "please log in",
    "please sign in",
    "login required",
    "authentication required",
    "authentication",
    // German
    "anmelden",
    "anmeldung",
    "einloggen",
    "benutzeranmeldung",
    "bitte anmelden",
    // French
    "connexion",
    "se connecter",
    "connectezvous",
    "identification",
    "identifiezvous",
    "authentification",
    // Spanish
    "iniciar sesión",
    "inicio de sesión",
    "acceder",
    // Italian
    "accedi",
    // Portuguese
    "entrar",
    "iniciar sessão",
    // Dutch
    "inloggen",
    "aanmelden",
    // Polish
    "zaloguj się",
    "logowanie",
];

/// What programs print in place of a page, with status 200.
pub(super) const PRINTED: &[&str] = &[
    "<b>Fatal error</b>:",
    "<b>Parse error</b>:",
    "PHP Fatal error:",
    "Uncaught Exception:",
    "Traceback (most recent call last)",
    "Software error:",
    "Error establishing a database connection",
];

/// Members of JSON that say that a request failed, unless null, false or empty.
pub(super) const FAILED: &[&str] =
    &["error", "errors", "exception", "fault", "error_message", "errorMessage", "error_code"];

/// Members of JSON that say that a request failed if they are `false`.
pub(super) const SUCCEEDED: &[&str] = &["success", "ok"];
