//! Tests of [`StoreError`]'s words.

use super::*;

#[test]
fn the_nearest_runs_are_named() {
    let id = |number| RunId::new(number).unwrap();
    let said = |nearest: &[u64]| {
        let nearest = nearest.iter().map(|number| id(*number)).collect();
        StoreError::NoSuchRun { id: id(12), nearest }.to_string()
    };
    assert_eq!(said(&[]), "there is no run 12: the store is empty");
    assert_eq!(said(&[11]), "there is no run 12: the nearest is 11");
    assert_eq!(said(&[11, 14]), "there is no run 12: the nearest are 11 and 14");
}

/// The page has the words that a user looks for.
#[test]
fn the_page_explains_the_messages() {
    let page = include_str!("../../../../docs/reference/store.md");
    let (store, what) = (String::new, || "x".to_owned());
    let (path, source) = (PathBuf::new, || io::Error::other("x"));
    for (error, words) in [
        (StoreError::NoHome, "no location for a store"),
        (StoreError::NoStore { store: store() }, "no store at"),
        (StoreError::NoAccess { path: path(), source: source() }, "make it readable and writable"),
        (StoreError::Link { path: path() }, "is a symbolic link"),
        (StoreError::ForeignOwner { path: path(), owner: 1, user: 0 }, "belongs to user"),
        (StoreError::NotAStore { store: store(), what: what() }, "is not a store of runs"),
        (StoreError::Newer { store: store(), made_by: what(), schema: 2, known: 1 }, "this version knows 1)"),
        (StoreError::Older { store: store(), made_by: what(), schema: 1, known: 2 }, "this version reads 2)"),
        (StoreError::ReadOnly { store: store(), what: what() }, "cannot be written"),
        (StoreError::Full { store: store() }, "no space left"),
        (StoreError::Locked { store: store(), seconds: 5.0 }, "has been locked by another process"),
        (StoreError::Damaged { store: store(), what: what() }, "is damaged"),
        (StoreError::Unreachable { store: store(), what: what() }, "cannot be reached"),
        (StoreError::Refused { store: store(), what: what() }, "refuses this user"),
        (StoreError::Forbidden { store: store(), what: what() }, "does not permit it"),
        (StoreError::Slow { store: store(), seconds: 60 }, "took longer than"),
    ] {
        assert!(error.to_string().contains(words), "{error}");
        assert!(page.contains(words), "`{words}` is not in docs/reference/store.md");
    }
}
