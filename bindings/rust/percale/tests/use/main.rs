//! Typical uses of the crate.
#[path = "../common/mod.rs"]
mod common;

mod basics;
mod clusters;
mod data;
mod groups;
mod host;
mod servers;
mod sessions;
mod streams;
mod tensors;
mod training;
