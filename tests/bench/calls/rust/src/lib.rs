//! The loop in C of calls.c, for comparison.
use std::ffi::c_void;

#[link(name = "percale_calls")]
extern "C" {
    fn calls_loop(call: *mut c_void, inputs: *const *mut c_void, outputs: *const *mut c_void, times: i64) -> i32;
}

/// Runs a prepared call `times` times within C. Returns true if all runs succeeded.
///
/// # Safety
/// The pointers are those of a call and of tensors that fit it.
pub unsafe fn run_in_c(call: *mut c_void, inputs: &[*mut c_void], outputs: &[*mut c_void], times: u64) -> bool {
    calls_loop(call, inputs.as_ptr(), outputs.as_ptr(), times as i64) == 1
}
