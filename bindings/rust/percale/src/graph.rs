//! Finished graphs.
use std::ffi::CString;
use std::path::Path;

use crate::builder::ValueType;
use crate::engine::{Engine, Trace};
use crate::error::{borrowed_text, check, path_text, take_bytes, take_text, Names, Result};
use crate::handle::Handle;
use crate::options::{self, OptionValue, Settings};
use crate::sys;
use crate::variables::Variables;

/// A finished, immutable graph. Cheap to clone.
#[derive(Clone)]
pub struct Graph {
    pub(crate) handle: Handle<sys::percale_graph>,
}

/// What [`Graph::describe`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GraphFacts {
    /// JSON: functions, inputs, outputs, variables, op counts, parameters, bytes.
    Summary,
    /// JSON: the nodes.
    Nodes,
}

/// How a drawing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DrawingFormat {
    /// A picture.
    Svg,
    /// A page to move, zoom, search and fold, which needs no network.
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

    /// A graph from a `.percale` file, whose weights are mapped.
    pub fn load_file(engine: &Engine, path: impl AsRef<Path>) -> Result<Graph> {
        let path = path_text(path.as_ref())?;
        // SAFETY: a path that ends with NUL; the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_graph_load_file(engine.handle.get(), path.as_ptr(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// A graph from the bytes of a `.percale` file, which are copied where they must live on.
    pub fn load(engine: &Engine, bytes: &[u8]) -> Result<Graph> {
        // SAFETY: bytes that live through the call; the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_graph_load(engine.handle.get(), bytes.as_ptr().cast(), bytes.len(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// A graph of a foreign format (`onnx`) through an importer plug-in.
    pub fn import_file(engine: &Engine, format: &str, path: impl AsRef<Path>) -> Result<Graph> {
        let (format, path) = (CString::new(format)?, path_text(path.as_ref())?);
        // SAFETY: texts that end with NUL; the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_graph_import(engine.handle.get(), format.as_ptr(), path.as_ptr(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// The same from bytes. Files that a model of several would name are out of reach.
    pub fn import(engine: &Engine, format: &str, bytes: &[u8]) -> Result<Graph> {
        let format = CString::new(format)?;
        // SAFETY: bytes that live through the call; the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            let (data, size) = (bytes.as_ptr().cast(), bytes.len());
            check(sys::percale_graph_import_bytes(engine.handle.get(), format.as_ptr(), data, size, &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// The graph with other dims of its inputs: `batch=?` (any size), `height=224`, `x:0=8` (by input and axis).
    pub fn with_dims(&self, dims: &[&str]) -> Result<Graph> {
        let names = Names::new(dims.iter())?;
        // SAFETY: texts that end with NUL; the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_graph_with_dims(self.handle.get(), names.as_ptr(), names.len(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// Writes a `.percale` file, whole or not at all. With `variables` the file's first values are theirs.
    pub fn save_file(&self, variables: Option<&Variables>, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: a path that ends with NUL.
        check(unsafe { sys::percale_graph_save_file(self.handle.get(), raw_variables(variables), path.as_ptr()) })
    }

    /// The bytes that [`Graph::save_file`] would write.
    pub fn serialize(&self, variables: Option<&Variables>) -> Result<Vec<u8>> {
        // SAFETY: the bytes are taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_graph_serialize(self.handle.get(), raw_variables(variables), &mut text))?;
            Ok(take_bytes(text))
        }
    }

    /// Writes a model of a foreign format (`onnx`) through an importer plug-in, whole or not at all; `settings` are options
    /// of kind "export" by name.
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
        // SAFETY: texts that end with NUL.
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

    /// The bytes that [`Graph::export_file`] would write.
    pub fn export(&self, engine: &Engine, variables: Option<&Variables>, format: &str) -> Result<Vec<u8>> {
        let format = CString::new(format)?;
        // SAFETY: the bytes are taken over at once.
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

    /// The names of the inputs, in order.
    pub fn input_names(&self) -> Vec<String> {
        // SAFETY: names that live as long as the graph and are copied; NULL past the end.
        let name = |index| unsafe { borrowed_text(sys::percale_graph_get_input_name(self.handle.get(), index)) };
        (0..).map_while(name).collect()
    }

    /// The names of the outputs, in order.
    pub fn output_names(&self) -> Vec<String> {
        // SAFETY: as above.
        let name = |index| unsafe { borrowed_text(sys::percale_graph_get_output_name(self.handle.get(), index)) };
        (0..).map_while(name).collect()
    }

    /// What is known of a value: an input, an output, or one within, which can be fed and fetched as well.
    pub fn value_type(&self, name: &str) -> Result<ValueType> {
        let name = CString::new(name)?;
        // SAFETY: a name that ends with NUL.
        ValueType::ask(|dtype, dims, rank| unsafe {
            sys::percale_graph_value_type(self.handle.get(), name.as_ptr(), dtype, dims, rank)
        })
    }

    /// Names and types of the inputs, in order.
    pub fn input_types(&self) -> Result<Vec<(String, ValueType)>> {
        self.input_names().into_iter().map(|name| self.value_type(&name).map(|known| (name, known))).collect()
    }

    /// Names and types of the outputs, in order.
    pub fn output_types(&self) -> Result<Vec<(String, ValueType)>> {
        self.output_names().into_iter().map(|name| self.value_type(&name).map(|known| (name, known))).collect()
    }

    /// A drawing of the graph. The nodes show the times of `trace`.
    pub fn draw(&self, format: DrawingFormat, trace: Option<&Trace>) -> Result<String> {
        let times = trace.map(Trace::json).transpose()?.map(CString::new).transpose()?;
        // SAFETY: names that outlive the call; the text is taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            let times = times.as_ref().map_or(std::ptr::null(), |times| times.as_ptr());
            check(sys::percale_graph_draw(self.handle.get(), format.name().as_ptr(), times, &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Facts about the graph.
    pub fn describe(&self, what: GraphFacts) -> Result<String> {
        let what = match what {
            GraphFacts::Summary => c"summary",
            GraphFacts::Nodes => c"nodes",
        };
        // SAFETY: the text is taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_graph_describe(self.handle.get(), what.as_ptr(), &mut text))?;
            Ok(take_text(text))
        }
    }
}
