//! A second process of a program that runs.
