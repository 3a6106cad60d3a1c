//! Arrays of numpy as columns of Arrow, and columns of answers as arrays, without a copy.
//!
//! Unsafe code makes a slice of an array's elements, and an array of a slice. The owner of the elements is kept alive.
//! Python code must not write to an array that a graph shares.
#![allow(unsafe_code)]

use crate::error::{CallError, CallResult};
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use bytemuck::Pod;
use bytes::Bytes;
use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// Elements, and their owner.
struct OwnedElements<T, O> {
    _owner: O,
    first: *const T,
    len: usize,
}

// SAFETY: the elements do not move while the owner exists, and they are plain numbers.
unsafe impl<T: Pod, O: Send> Send for OwnedElements<T, O> {}

impl<T: Pod, O> AsRef<[u8]> for OwnedElements<T, O> {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `first` points to `len` aligned elements, which exist as long as this value.
        bytemuck::cast_slice(unsafe { std::slice::from_raw_parts(self.first, self.len) })
    }
}

/// Returns a column that shares the memory of `len` elements. `owner` owns them, and never moves or changes them.
pub(crate) fn shared<T: ArrowPrimitiveType<Native: Pod>>(
    owner: impl Send + 'static,
    (first, len): (*const T::Native, usize),
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    if len == 0 {
        return Arc::new(PrimitiveArray::<T>::new(Vec::new().into(), None));
    }
    let buffer = Buffer::from(Bytes::from_owner(OwnedElements { _owner: owner, first, len }));
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::new(buffer, 0, len), nulls))
}

/// Returns an array that shares the memory of a slice, and cannot be written to. `owner` owns the slice, and never changes it.
pub(crate) fn borrowed<'py, T: Element>(slice: &[T], owner: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let view = ndarray::ArrayView1::from(slice);
    // SAFETY: the array keeps the owner alive, whose slice neither moves nor changes.
    let array = unsafe { PyArray1::borrow_from_array(&view, owner) }.into_any();
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// Returns a one-dimensional array as a column.
pub(crate) fn column(array: &Bound<'_, PyUntypedArray>, what: &str) -> CallResult<ArrayRef> {
    if array.ndim() != 1 {
        let problem = format!("{what} has {} dimensions", array.ndim());
        return Err(CallError::usage(problem, "give an array with one dimension"));
    }
    let columns = [
        typed::<UInt64Type>,
        typed::<Int64Type>,
        typed::<UInt32Type>,
        typed::<Int32Type>,
        typed::<Float64Type>,
        typed::<Float32Type>,
        typed::<UInt16Type>,
        typed::<Int16Type>,
        typed::<UInt8Type>,
        typed::<Int8Type>,
    ];
    for column in columns {
        if let Some(column) = column(array) {
            return column;
        }
    }
    let problem = format!("{what} is an array of {}", array.dtype());
    Err(CallError::usage(problem, "give an array of integers or floats, or a table with text by from_arrow"))
}

/// Returns the column of an array if its elements have a type; `None` if they have another.
fn typed<T: ArrowPrimitiveType<Native: Element + Pod>>(
    array: &Bound<'_, PyUntypedArray>,
) -> Option<CallResult<ArrayRef>> {
    let array = array.cast::<PyArray1<T::Native>>().ok()?;
    if !array.is_c_contiguous() || !array.data().is_aligned() {
        let next = "give a copy by numpy.ascontiguousarray";
        return Some(Err(CallError::usage("the array is not contiguous", next)));
    }
    Some(Ok(shared::<T>(array.clone().unbind(), (array.data(), array.len()), None)))
}
