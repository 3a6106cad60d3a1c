//! Files that are refused.
