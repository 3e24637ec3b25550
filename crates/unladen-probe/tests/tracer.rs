//! What the tracer sees of processes whose doings are known. Needs root.
