//! Content: pages and the navigation bar.

pub mod navigation;
pub mod pages;
