//! Threads, and files of models, that a program supplies to an engine.
use std::ffi::{c_char, c_void, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use crate::error::{check, Code, Error, Failures, Result};
use crate::sys;

/// The result of functions of the program that an engine calls. `?` converts any error, and so does
/// `"text".into()`. The error becomes that of the call that needed the function: an [`Error`] keeps
/// its code, a [`std::io::Error`] becomes `NotFound`, `PermissionDenied` or else `Unavailable`, any
/// other error and a panic `Aborted`.
pub type HostResult<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A piece of work of an engine, for [`EngineBuilder::executor`](crate::EngineBuilder::executor).
/// It may also be dropped without being run: the calling thread then does the work.
#[must_use = "run() does the work"]
pub struct Task(Arc<HostTask>);

struct HostTask {
    raw: *mut sys::percale_task,
    begun: AtomicBool,
    // The program has it, and does not give it back.
    taken: AtomicBool,
}

// SAFETY: a task may be run and released by any thread; `begun` lets one of them run it.
unsafe impl Send for HostTask {}
unsafe impl Sync for HostTask {}

impl Task {
    /// Does the work on the calling thread.
    pub fn run(self) {
        if !self.0.begun.swap(true, Ordering::SeqCst) {
            // SAFETY: the task is alive; no other call has begun it.
            unsafe { sys::percale_task_run(self.0.raw) }
        }
    }
}

impl Drop for HostTask {
    fn drop(&mut self) {
        if *self.taken.get_mut() {
            // SAFETY: the library gave the task away, and it is released once.
            unsafe { sys::percale_task_release(self.raw) }
        }
    }
}

/// Files that a program reads for the library: from an archive, a database, or decrypted on the
/// way. [`EngineBuilder::files`](crate::EngineBuilder::files) gives them to an engine. Several
/// threads may call the functions at a time.
pub trait FileReader: Send + Sync {
    /// Returns the size of a file in bytes. `name` is the path without `host:`.
    fn size(&self, name: &str) -> HostResult<u64>;

    /// Fills `buffer` from byte `offset` of a file. The bytes lie within its size.
    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> HostResult<()>;
}

pub(crate) type Executor = Box<dyn Fn(Task) -> HostResult<()> + Send + Sync>;
pub(crate) type Files = Box<dyn FileReader>;

/// A part of the host as the library calls it.
struct Part<T> {
    own: T,
    failures: Failures,
}

impl<T> Part<T> {
    fn into_user(own: T) -> *mut c_void {
        Box::into_raw(Box::new(Part { own, failures: Failures::default() })).cast()
    }
}

unsafe extern "C" fn drop_part<T>(user: *mut c_void) {
    let part = Box::from_raw(user.cast::<Part<T>>());
    // A panic must not unwind into the library.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(part)));
}

unsafe extern "C" fn execute(user: *mut c_void, task: *mut sys::percale_task) -> *mut sys::percale_status {
    let part = &*user.cast::<Part<Executor>>().cast_const();
    let state = Arc::new(HostTask { raw: task, begun: false.into(), taken: false.into() });
    let status = part.failures.call(|| (part.own)(Task(state.clone())));
    if !status.is_null() && !state.begun.swap(true, Ordering::SeqCst) {
        return status; // the task stays with the library
    }
    sys::percale_status_release(status);
    state.taken.store(true, Ordering::SeqCst);
    std::ptr::null_mut()
}

/// Gives errors of the system the codes of what they mean.
fn with_code(error: Box<dyn std::error::Error + Send + Sync>) -> Box<dyn std::error::Error + Send + Sync> {
    let code = match error.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(std::io::ErrorKind::NotFound) => Code::NotFound,
        Some(std::io::ErrorKind::PermissionDenied) => Code::PermissionDenied,
        _ => return error,
    };
    Error::new(code, error.to_string()).into()
}

unsafe fn name_of(name: *const c_char) -> HostResult<String> {
    Ok(CStr::from_ptr(name).to_str()?.to_owned())
}

unsafe extern "C" fn file_size(user: *mut c_void, name: *const c_char, out_size: *mut i64) -> *mut sys::percale_status {
    let part = &*user.cast::<Part<Files>>().cast_const();
    part.failures.call(|| {
        let size = part.own.size(&name_of(name)?).map_err(with_code)?;
        *out_size = i64::try_from(size)?;
        Ok(())
    })
}

unsafe extern "C" fn file_read(
    user: *mut c_void,
    name: *const c_char,
    offset: i64,
    buffer: *mut c_void,
    size: usize,
) -> *mut sys::percale_status {
    let part = &*user.cast::<Part<Files>>().cast_const();
    part.failures.call(|| {
        let buffer = std::slice::from_raw_parts_mut(buffer.cast::<u8>(), size);
        part.own.read(&name_of(name)?, u64::try_from(offset)?, buffer).map_err(with_code)
    })
}

/// Makes engines of these options compute on the program's threads.
pub(crate) fn set_executor(options: *mut sys::percale_options, executor: Executor) -> Result<()> {
    let user = Part::<Executor>::into_user(executor);
    let table = sys::percale_thread_pool {
        struct_size: std::mem::size_of::<sys::percale_thread_pool>() as u32,
        user,
        execute: Some(execute),
    };
    // SAFETY: the library copies the table. It owns the user until it passes it to drop_part(); on
    // failure it does not call that.
    unsafe {
        check(sys::percale_options_set_thread_pool(options, &table, Some(drop_part::<Executor>)))
            .inspect_err(|_| drop_part::<Executor>(user))
    }
}

/// Lets engines of these options read the program's files.
pub(crate) fn set_files(options: *mut sys::percale_options, files: Files) -> Result<()> {
    let user = Part::<Files>::into_user(files);
    let table = sys::percale_reader {
        struct_size: std::mem::size_of::<sys::percale_reader>() as u32,
        user,
        size: Some(file_size),
        read: Some(file_read),
    };
    // SAFETY: as above.
    unsafe {
        check(sys::percale_options_set_reader(options, &table, Some(drop_part::<Files>)))
            .inspect_err(|_| drop_part::<Files>(user))
    }
}

/// Lends the bytes of an owner to the library. `lend` gets the memory, the deleter and its user; on
/// failure the owner is dropped.
pub(crate) unsafe fn lend_bytes<O>(
    owner: O,
    lend: impl FnOnce(*mut c_void, usize, sys::percale_deleter, *mut c_void) -> *mut sys::percale_status,
) -> Result<()>
where
    O: std::ops::Deref<Target = [u8]> + Send + Sync + 'static,
{
    let owner = Box::new(owner);
    // The address is taken after the owner is moved into the box, because the bytes may be inside
    // the owner.
    let bytes: &[u8] = &owner;
    let (data, size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
    let user = Box::into_raw(owner);
    check(lend(data, size, Some(crate::tensor::drop_owner::<O>), user.cast()))
        .inspect_err(|_| drop(Box::from_raw(user)))
}
