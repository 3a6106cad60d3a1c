//! Tests of Parquet and Arrow files.

mod reading;
mod refused;
mod written;

use gts_tables as _;
