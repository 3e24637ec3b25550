//! The map as others read it, one file a form.
