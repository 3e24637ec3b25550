//! Connections to upstreams, kept.
