//! Arrays of numpy as columns of Arrow, without a copy.
//!
//! Unsafe code makes a slice of an array's elements, and an array of a slice. The owner of the elements is kept alive. As
//! in numpy itself, Python code must not write to an array that a call reads.
#![allow(unsafe_code)]

use crate::error::{CallError, CallResult};
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use bytemuck::Pod;
use bytes::Bytes;
use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// The elements of an array, which is kept alive.
struct ArrayElements<T: Element> {
    _array: Py<PyArray1<T>>,
    first: *const T,
    len: usize,
}

// SAFETY: the elements do not move while the array exists, and they are plain numbers.
unsafe impl<T: Element> Send for ArrayElements<T> {}

impl<T: Element + Pod> AsRef<[u8]> for ArrayElements<T> {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the array is contiguous and aligned, has `len` elements, not zero, and exists as long as this value.
        bytemuck::cast_slice(unsafe { std::slice::from_raw_parts(self.first, self.len) })
    }
}

/// Returns an array that shares the memory of a slice, and cannot be written to. `owner` owns the slice, and never changes it.
pub(crate) fn borrowed<'py, T: Element>(slice: &[T], owner: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let view = ndarray::ArrayView1::from(slice);
    // SAFETY: the array keeps the owner alive, whose slice neither moves nor changes.
    let array = unsafe { PyArray1::borrow_from_array(&view, owner) }.into_any();
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// Returns the column of an array with one dimension.
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
        return Some(Err(CallError::usage("an array whose elements do not lie one after the other", next)));
    }
    if array.is_empty() {
        return Some(Ok(Arc::new(PrimitiveArray::<T>::new(Vec::new().into(), None))));
    }
    let elements = ArrayElements { _array: array.clone().unbind(), first: array.data(), len: array.len() };
    let buffer = Buffer::from(Bytes::from_owner(elements));
    Some(Ok(Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::new(buffer, 0, array.len()), None))))
}
