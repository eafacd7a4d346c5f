//! Tables of variables.
use std::ffi::CString;
use std::path::Path;

use crate::engine::Engine;
use crate::error::{borrowed_text, check, path_text, take_text, Names, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::host::lend_bytes;
use crate::sys;
use crate::tensor::Tensor;

/// Named tensors that sessions and trainers share. Clones are the same table and cheap.
#[derive(Clone)]
pub struct Variables {
    pub(crate) handle: Handle<sys::percale_variables>,
}

impl Variables {
    /// Creates a table with the initial values of the graph's variables. `seed` is for the
    /// initializers.
    pub fn new(engine: &Engine, graph: &Graph, seed: i64) -> Result<Variables> {
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_variables_create(engine.handle.get(), graph.handle.get(), seed, &mut raw))?;
            Ok(Variables { handle: Handle::new(raw) })
        }
    }

    pub(crate) unsafe fn take(raw: *mut sys::percale_variables) -> Variables {
        Variables { handle: Handle::new(raw) }
    }

    /// Returns the number of variables.
    pub fn len(&self) -> usize {
        // SAFETY: the table is alive.
        unsafe { sys::percale_variables_count(self.handle.get()) }
    }

    /// Returns true if there are no variables.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the names in ascending order.
    pub fn names(&self) -> Vec<String> {
        // SAFETY: the names live as long as the table and are copied; the library returns NULL past
        // the end.
        let name = |index| unsafe { borrowed_text(sys::percale_variables_get_name(self.handle.get(), index)) };
        (0..).map_while(name).collect()
    }

    /// Returns the newest value of a variable. The tensor never changes.
    pub fn value(&self, name: &str) -> Result<Tensor> {
        let name = CString::new(name)?;
        // SAFETY: the name is NUL-terminated; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_variables_value(self.handle.get(), name.as_ptr(), &mut raw))?;
            Ok(Tensor::take(raw))
        }
    }

    /// Publishes a new version with this value. Its type and shape must agree.
    pub fn assign(&self, name: &str, value: &Tensor) -> Result<()> {
        let name = CString::new(name)?;
        // SAFETY: the name is NUL-terminated; the tensor is immutable, so the table may keep it.
        check(unsafe { sys::percale_variables_assign(self.handle.get(), name.as_ptr(), value.as_raw()) })
    }

    /// Takes the values of all variables that exist in both tables with the same name, type and
    /// shape.
    pub fn assign_all(&self, other: &Variables) -> Result<()> {
        let theirs = other.names();
        for name in self.names().iter().filter(|name| theirs.contains(name)) {
            let (own, value) = (self.value(name)?, other.value(name)?);
            if (own.dtype(), own.dims()) == (value.dtype(), value.dims()) {
                self.assign(name, &value)?;
            }
        }
        Ok(())
    }

    /// Returns the number of the newest version, from 1.
    pub fn version(&self) -> i64 {
        // SAFETY: the table is alive.
        unsafe { sys::percale_variables_version(self.handle.get()) }
    }

    /// Returns `sha256:...` over the names, types, shapes and bytes of all variables except
    /// optimizer slots. It is the same in every language.
    pub fn digest(&self) -> Result<String> {
        // SAFETY: the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_variables_digest(self.handle.get(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Takes values from a safetensors file: every tensor with the name of a variable. If `strict`,
    /// a variable without a tensor is an error.
    pub fn load(&self, path: impl AsRef<Path>, strict: bool) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is NUL-terminated.
        check(unsafe { sys::percale_variables_load(self.handle.get(), path.as_ptr(), strict.into()) })
    }

    /// Takes values from the bytes of a safetensors file, without a copy of tensors that are
    /// 64-byte aligned. The owner of the bytes is dropped when no value lies in them any more.
    /// Returns the number of bytes that were copied.
    pub fn load_owner<O>(&self, owner: O, strict: bool) -> Result<i64>
    where
        O: std::ops::Deref<Target = [u8]> + Send + Sync + 'static,
    {
        let mut copied = 0;
        // SAFETY: the memory is alive and unchanged until the deleter is called.
        unsafe {
            lend_bytes(owner, |data, size, deleter, user| {
                let table = self.handle.get();
                sys::percale_variables_load_memory(table, data, size, deleter, user, strict.into(), &mut copied)
            })?;
        }
        Ok(copied)
    }

    /// Takes values from another model and returns the number of variables that took one. Each pair
    /// is the name of a tensor and the name of a variable. Both may contain one `*`, which stands
    /// for the same characters; an empty tensor name leaves the variable unchanged. `path` is a
    /// safetensors file, a checkpoint, or a folder of checkpoints.
    pub fn load_mapped(&self, path: impl AsRef<Path>, from_to: &[(&str, &str)], strict: bool) -> Result<i64> {
        let path = path_text(path.as_ref())?;
        let from = Names::new(from_to.iter().map(|(from, _)| from))?;
        let to = Names::new(from_to.iter().map(|(_, to)| to))?;
        let mut loaded = 0;
        // SAFETY: the texts are NUL-terminated, and the arrays have the given lengths.
        check(unsafe {
            sys::percale_variables_load_mapped(
                self.handle.get(),
                path.as_ptr(),
                from.as_ptr(),
                to.as_ptr(),
                from.len(),
                strict.into(),
                &mut loaded,
            )
        })?;
        Ok(loaded)
    }

    /// Writes the newest values to a safetensors file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is NUL-terminated.
        check(unsafe { sys::percale_variables_save(self.handle.get(), path.as_ptr()) })
    }
}
