//! The proxy: listeners, and the life of a request.
