//! Finished graphs.
use std::ffi::CString;
use std::path::Path;

use crate::builder::ValueType;
use crate::engine::{Engine, Trace};
use crate::error::{borrowed_text, check, path_text, take_bytes, take_text, Names, Result};
use crate::handle::Handle;
use crate::host::lend_bytes;
use crate::options::{self, OptionValue, Settings};
use crate::sys;
use crate::variables::Variables;

/// A finished, immutable graph. Cheap to clone.
#[derive(Clone)]
pub struct Graph {
    pub(crate) handle: Handle<sys::percale_graph>,
}

/// Selects the facts that [`Graph::describe`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GraphFacts {
    /// JSON: functions, inputs, outputs, variables, op counts, parameters, bytes.
    Summary,
    /// JSON: the nodes.
    Nodes,
}

/// The format of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DrawingFormat {
    /// A picture.
    Svg,
    /// A page with panning, zoom, search and folding, which needs no network.
    Html,
}

impl DrawingFormat {
    pub(crate) fn name(self) -> &'static std::ffi::CStr {
        match self {
            DrawingFormat::Svg => c"svg",
            DrawingFormat::Html => c"html",
        }
    }
}

pub(crate) fn raw_variables(variables: Option<&Variables>) -> *mut sys::percale_variables {
    variables.map_or(std::ptr::null_mut(), |variables| variables.handle.get())
}

impl Graph {
    pub(crate) unsafe fn take(raw: *mut sys::percale_graph) -> Graph {
        Graph { handle: Handle::new(raw) }
    }

    /// Loads a graph from a `.percale` file. Its weights are mapped into memory unless the engine
    /// option `map_files` is off. A mapped file may be replaced by a rename, or removed; truncating
    /// it can end the process.
    pub fn load_file(engine: &Engine, path: impl AsRef<Path>) -> Result<Graph> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is NUL-terminated; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_graph_load_file(engine.handle.get(), path.as_ptr(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// Loads a graph from the bytes of a `.percale` file. The parts that the graph needs later are
    /// copied.
    pub fn load(engine: &Engine, bytes: &[u8]) -> Result<Graph> {
        // SAFETY: the bytes outlive the call; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_graph_load(engine.handle.get(), bytes.as_ptr().cast(), bytes.len(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// Makes a graph over the bytes of a `.percale` file, without a copy of the weights. The owner
    /// of the bytes is dropped when the last object is gone that uses the weights. Bytes that are
    /// not 64-byte aligned are copied; the second result is their number.
    pub fn from_owner<O>(engine: &Engine, owner: O) -> Result<(Graph, i64)>
    where
        O: std::ops::Deref<Target = [u8]> + Send + Sync + 'static,
    {
        let (mut raw, mut copied) = (std::ptr::null_mut(), 0);
        // SAFETY: the memory is alive and unchanged until the deleter is called; the handle is
        // wrapped at once.
        unsafe {
            lend_bytes(owner, |data, size, deleter, user| {
                sys::percale_graph_from_memory(engine.handle.get(), data, size, deleter, user, &mut copied, &mut raw)
            })?;
            Ok((Graph::take(raw), copied))
        }
    }

    /// Imports a graph of a foreign format (`onnx`) through an importer plug-in.
    pub fn import_file(engine: &Engine, format: &str, path: impl AsRef<Path>) -> Result<Graph> {
        let (format, path) = (CString::new(format)?, path_text(path.as_ref())?);
        // SAFETY: the texts are NUL-terminated; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_graph_import(engine.handle.get(), format.as_ptr(), path.as_ptr(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// Imports a graph from bytes. Models that refer to further files cannot be imported this way.
    pub fn import(engine: &Engine, format: &str, bytes: &[u8]) -> Result<Graph> {
        let format = CString::new(format)?;
        // SAFETY: the bytes outlive the call; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            let (data, size) = (bytes.as_ptr().cast(), bytes.len());
            check(sys::percale_graph_import_bytes(engine.handle.get(), format.as_ptr(), data, size, &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// Returns the graph with other dims of its inputs: `batch=?` (any size), `height=224` (by
    /// name), `x:0=8` (by input and axis).
    pub fn with_dims(&self, dims: &[&str]) -> Result<Graph> {
        let names = Names::new(dims.iter())?;
        // SAFETY: the texts are NUL-terminated; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_graph_with_dims(self.handle.get(), names.as_ptr(), names.len(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// Writes a `.percale` file atomically. With `variables`, the file has their values as initial
    /// values.
    pub fn save_file(&self, variables: Option<&Variables>, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is NUL-terminated.
        check(unsafe { sys::percale_graph_save_file(self.handle.get(), raw_variables(variables), path.as_ptr()) })
    }

    /// Returns the bytes that [`Graph::save_file`] would write.
    pub fn serialize(&self, variables: Option<&Variables>) -> Result<Vec<u8>> {
        // SAFETY: the bytes are copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_graph_serialize(self.handle.get(), raw_variables(variables), &mut text))?;
            Ok(take_bytes(text))
        }
    }

    /// Writes a model of a foreign format (`onnx`) atomically, through an importer plug-in.
    /// `settings` are options of kind "export".
    pub fn export_file(
        &self,
        engine: &Engine,
        variables: Option<&Variables>,
        format: &str,
        settings: &[(&str, OptionValue)],
        path: impl AsRef<Path>,
    ) -> Result<()> {
        let (format, path) = (CString::new(format)?, path_text(path.as_ref())?);
        let mut all = Settings::default();
        for (key, value) in settings {
            all.set(key, value.clone());
        }
        let options = all.make("export")?;
        // SAFETY: the texts are NUL-terminated.
        check(unsafe {
            sys::percale_graph_export(
                engine.handle.get(),
                self.handle.get(),
                raw_variables(variables),
                format.as_ptr(),
                options::raw(&options),
                path.as_ptr(),
            )
        })
    }

    /// Returns the bytes that [`Graph::export_file`] would write.
    pub fn export(&self, engine: &Engine, variables: Option<&Variables>, format: &str) -> Result<Vec<u8>> {
        let format = CString::new(format)?;
        // SAFETY: the bytes are copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_graph_export_bytes(
                engine.handle.get(),
                self.handle.get(),
                raw_variables(variables),
                format.as_ptr(),
                &mut text,
            ))?;
            Ok(take_bytes(text))
        }
    }

    /// Returns the names of the inputs, in order.
    pub fn input_names(&self) -> Vec<String> {
        // SAFETY: the names live as long as the graph and are copied; the library returns NULL past
        // the end.
        let name = |index| unsafe { borrowed_text(sys::percale_graph_get_input_name(self.handle.get(), index)) };
        (0..).map_while(name).collect()
    }

    /// Returns the names of the outputs, in order.
    pub fn output_names(&self) -> Vec<String> {
        // SAFETY: as above.
        let name = |index| unsafe { borrowed_text(sys::percale_graph_get_output_name(self.handle.get(), index)) };
        (0..).map_while(name).collect()
    }

    /// Returns the type of a value: an input, an output, or an inner value, which can be fed and
    /// fetched as well.
    pub fn value_type(&self, name: &str) -> Result<ValueType> {
        let name = CString::new(name)?;
        // SAFETY: the name is NUL-terminated.
        ValueType::read(|dtype, dims, rank| unsafe {
            sys::percale_graph_value_type(self.handle.get(), name.as_ptr(), dtype, dims, rank)
        })
    }

    /// Returns the names and types of the inputs, in order.
    pub fn input_types(&self) -> Result<Vec<(String, ValueType)>> {
        self.input_names().into_iter().map(|name| self.value_type(&name).map(|known| (name, known))).collect()
    }

    /// Returns the names and types of the outputs, in order.
    pub fn output_types(&self) -> Result<Vec<(String, ValueType)>> {
        self.output_names().into_iter().map(|name| self.value_type(&name).map(|known| (name, known))).collect()
    }

    /// Draws the graph. The nodes show the times of `trace`.
    pub fn draw(&self, format: DrawingFormat, trace: Option<&Trace>) -> Result<String> {
        let times = trace.map(Trace::json).transpose()?.map(CString::new).transpose()?;
        // SAFETY: the texts outlive the call; the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            let times = times.as_ref().map_or(std::ptr::null(), |times| times.as_ptr());
            check(sys::percale_graph_draw(self.handle.get(), format.name().as_ptr(), times, &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Returns facts about the graph.
    pub fn describe(&self, what: GraphFacts) -> Result<String> {
        let what = match what {
            GraphFacts::Summary => c"summary",
            GraphFacts::Nodes => c"nodes",
        };
        // SAFETY: the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_graph_describe(self.handle.get(), what.as_ptr(), &mut text))?;
            Ok(take_text(text))
        }
    }
}
