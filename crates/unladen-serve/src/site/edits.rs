//! The principal type is [`Edits`]: fields of a message that a route sets and removes.

use unladen_http1::Fields;
use unladen_serve_config::HeaderEdits;

#[derive(Debug)]
pub(crate) struct Edits {
    set: Vec<Set>,
    remove: Vec<Box<[u8]>>,
}

type Set = (Box<[u8]>, Box<[u8]>);

impl Edits {
    /// `None` if nothing is edited.
    pub(crate) fn of(settings: &HeaderEdits) -> Option<Self> {
        let bytes = |text: &String| Box::from(text.as_bytes());
        let set = settings.set.iter().map(|(name, value)| (bytes(name), bytes(value))).collect();
        (!settings.is_empty()).then(|| Self { set, remove: settings.remove.iter().map(bytes).collect() })
    }

    /// Removes the fields to remove, and those to be set.
    pub(crate) fn take_off(&self, fields: &mut Fields) {
        let is_gone = |name: &[u8]| {
            self.remove.iter().any(|gone| gone.eq_ignore_ascii_case(name))
                || self.set.iter().any(|(set, _)| set.eq_ignore_ascii_case(name))
        };
        fields.retain(|field| !is_gone(field.name));
    }

    pub(crate) fn apply(&self, fields: &mut Fields) {
        self.take_off(fields);
        for (name, value) in &self.set {
            fields.push(name, value);
        }
    }
}
