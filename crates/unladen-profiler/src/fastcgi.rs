//! A client of FastCGI.
