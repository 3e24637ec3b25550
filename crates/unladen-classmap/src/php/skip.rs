//! Where what may not be looked into ends: strings, comments, heredocs, and the text outside of PHP.
