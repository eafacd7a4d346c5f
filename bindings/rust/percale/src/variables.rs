//! The state table.
use std::ffi::CString;
use std::path::Path;

use crate::engine::Engine;
use crate::error::{borrowed_text, check, path_text, take_text, Names, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::sys;
use crate::tensor::Tensor;

/// Named tensors that sessions and trainers share. Cheap to clone: clones are the same table.
#[derive(Clone)]
pub struct Variables {
    pub(crate) handle: Handle<sys::percale_variables>,
}

impl Variables {
    /// A table with the first values of the graph's variables; `seed` feeds the initializers.
    pub fn new(engine: &Engine, graph: &Graph, seed: i64) -> Result<Variables> {
        // SAFETY: the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_variables_create(engine.handle.get(), graph.handle.get(), seed, &mut raw))?;
            Ok(Variables { handle: Handle::new(raw) })
        }
    }

    pub(crate) unsafe fn take(raw: *mut sys::percale_variables) -> Variables {
        Variables { handle: Handle::new(raw) }
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        // SAFETY: a table that lives.
        unsafe { sys::percale_variables_count(self.handle.get()) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names in ascending order.
    pub fn names(&self) -> Vec<String> {
        // SAFETY: names that live as long as the table and are copied; NULL past the end.
        let name = |index| unsafe { borrowed_text(sys::percale_variables_get_name(self.handle.get(), index)) };
        (0..).map_while(name).collect()
    }

    /// The value of the newest version, which does not change any more.
    pub fn value(&self, name: &str) -> Result<Tensor> {
        let name = CString::new(name)?;
        // SAFETY: a name that ends with NUL; the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_variables_value(self.handle.get(), name.as_ptr(), &mut raw))?;
            Ok(Tensor::take(raw))
        }
    }

    /// Publishes a new version with this value; type and shape must agree.
    pub fn assign(&self, name: &str, value: &Tensor) -> Result<()> {
        let name = CString::new(name)?;
        // SAFETY: a name that ends with NUL; a tensor that nobody writes to, which the table may keep.
        check(unsafe { sys::percale_variables_assign(self.handle.get(), name.as_ptr(), value.as_raw()) })
    }

    /// Takes the values of another table: of each variable that both have by name, with the same
    /// type and shape.
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

    /// The number of the newest version, from 1 on.
    pub fn version(&self) -> i64 {
        // SAFETY: a table that lives.
        unsafe { sys::percale_variables_version(self.handle.get()) }
    }

    /// `sha256:...` over names, types, shapes and bytes of all variables, moving statistics too; the same in every
    /// language.
    pub fn digest(&self) -> Result<String> {
        // SAFETY: the text is taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_variables_digest(self.handle.get(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Takes values from a safetensors file: each tensor whose name is a variable. When `strict`, a variable without one is
    /// an error.
    pub fn load(&self, path: impl AsRef<Path>, strict: bool) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: a path that ends with NUL.
        check(unsafe { sys::percale_variables_load(self.handle.get(), path.as_ptr(), strict.into()) })
    }

    /// Takes values of another model: a variable called `to` takes the tensor called `from`, each with at most one `*`, which
    /// stands for the same characters in both; with an empty `from` it keeps its value. `path`: a safetensors file, a
    /// checkpoint, or a folder of them. How many variables took a value.
    pub fn load_mapped(&self, path: impl AsRef<Path>, from_to: &[(&str, &str)], strict: bool) -> Result<i64> {
        let path = path_text(path.as_ref())?;
        let from = Names::new(from_to.iter().map(|(from, _)| from))?;
        let to = Names::new(from_to.iter().map(|(_, to)| to))?;
        let mut loaded = 0;
        // SAFETY: texts that end with NUL, as many as is said.
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

    /// Writes a safetensors file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: a path that ends with NUL.
        check(unsafe { sys::percale_variables_save(self.handle.get(), path.as_ptr()) })
    }
}
