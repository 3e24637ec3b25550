use super::*;

struct Folder;

impl Resolver for Folder {
    fn path_of(&self, _: u32, fd: i32) -> Option<String> {
        (fd == 9).then(|| "/srv/nine".to_owned())
    }
    fn folder_of(&self, _: u32) -> Option<String> {
        Some("/srv/www".to_owned())
    }
}

#[test]
fn paths_become_whole() {
    let mut descriptors = Descriptors::default();
    assert_eq!(descriptors.absolute(1, None, "a/./b//../c", &Folder), "/srv/www/a/c");
    assert_eq!(descriptors.absolute(1, Some(9), "x", &Folder), "/srv/nine/x");
    descriptors.changed_folder(1, "/tmp".into());
    descriptors.forked(1, 2);
    assert_eq!(descriptors.absolute(2, None, "x", &Folder), "/tmp/x");
}

#[test]
fn a_descriptor_that_was_used_again_is_not_taken_for_its_former_file() {
    let mut descriptors = Descriptors::default();
    descriptors.opened(1, 4, "/a/one");
    assert_eq!(descriptors.path(1, 4, "one", &Folder), "/a/one");
    assert_eq!(descriptors.path(1, 4, "two", &Folder), "two");
    assert_eq!(descriptors.path(1, 9, "nine", &Folder), "/srv/nine");
}
