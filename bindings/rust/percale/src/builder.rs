//! Graphs under construction.
use std::ffi::CString;

use crate::dtype::DType;
use crate::engine::Engine;
use crate::error::{borrowed_text, check, Names, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::sys;
use crate::tensor::Tensor;

/// A value inside a builder: the output of a node, an input, a variable or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(sys::percale_value);

impl Value {
    /// Stands for an absent optional input.
    pub const NONE: Value = Value(sys::PERCALE_NO_VALUE);
}

/// The highest rank of a tensor.
pub(crate) const MAX_RANK: usize = 8;

/// The dtype and dims of a value, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueType {
    /// The type of the elements, if it is known.
    pub dtype: Option<DType>,
    /// The dims, with -1 for an unknown dim. `None` if not even the rank is known.
    pub dims: Option<Vec<i64>>,
}

impl ValueType {
    /// Returns the dtype, dims and rank that `function` writes. It passes a buffer for the highest
    /// rank.
    pub(crate) fn read(
        function: impl FnOnce(*mut sys::percale_dtype, *mut i64, *mut usize) -> *mut sys::percale_status,
    ) -> Result<ValueType> {
        let (mut dtype, mut dims, mut rank) = (0, [0i64; MAX_RANK], 0usize);
        check(function(&mut dtype, dims.as_mut_ptr(), &mut rank))?;
        Ok(ValueType { dtype: DType::from_raw(dtype), dims: dims.get(..rank).map(<[i64]>::to_vec) })
    }
}

/// The value of an attribute of a node or layer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Attribute {
    /// An integer; 0 and 1 for a boolean.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Text(String),
    /// A list of integers.
    Ints(Vec<i64>),
    /// A list of floating-point numbers.
    Floats(Vec<f64>),
    /// A list of texts.
    Texts(Vec<String>),
    /// A tensor, which is shared, not copied.
    Tensor(Tensor),
    /// The name of a function of the graph, such as a branch of If or the body of Loop.
    Function(String),
}

macro_rules! attribute {
    ($($type:ty => |$value:ident| $make:expr;)*) => { $(
        impl From<$type> for Attribute {
            fn from($value: $type) -> Attribute {
                $make
            }
        }
    )* };
}

attribute! {
    i64 => |value| Attribute::Int(value);
    i32 => |value| Attribute::Int(value.into());
    bool => |value| Attribute::Int(value.into());
    f64 => |value| Attribute::Float(value);
    f32 => |value| Attribute::Float(value.into());
    &str => |value| Attribute::Text(value.into());
    String => |value| Attribute::Text(value);
    &[i64] => |value| Attribute::Ints(value.into());
    Vec<i64> => |value| Attribute::Ints(value);
    &[f64] => |value| Attribute::Floats(value.into());
    Vec<f64> => |value| Attribute::Floats(value);
    &[&str] => |value| Attribute::Texts(value.iter().map(|text| (*text).to_owned()).collect());
    Vec<String> => |value| Attribute::Texts(value);
    &Tensor => |value| Attribute::Tensor(value.clone());
    Tensor => |value| Attribute::Tensor(value);
}

impl<const N: usize> From<[i64; N]> for Attribute {
    fn from(value: [i64; N]) -> Attribute {
        Attribute::Ints(value.into())
    }
}

impl<const N: usize> From<[f64; N]> for Attribute {
    fn from(value: [f64; N]) -> Attribute {
        Attribute::Floats(value.into())
    }
}

/// Builds a graph: inputs, constants, variables, ops, layers, gradients, training steps.
///
/// ```
/// use percale::{Builder, DType, Engine};
/// let engine = Engine::new()?;
/// let mut builder = Builder::new(&engine)?;
/// let x = builder.input("x", DType::F32, &[-1, 4])?;
/// let dense = builder.layer("Dense").input(x).set("units", 8);
/// let hidden = dense.set("activation", "relu").finish()?;
/// let y = builder.op("Softmax").name("y").input(hidden).set("axis", -1).finish()?;
/// builder.set_outputs(&[y])?;
/// let graph = builder.finish()?;
/// assert_eq!((graph.input_names(), graph.output_names()), (vec!["x".into()], vec!["y".into()]));
/// # Ok::<(), percale::Error>(())
/// ```
pub struct Builder {
    handle: Handle<sys::percale_builder>,
}

impl Builder {
    /// Creates a builder of an empty graph.
    pub fn new(engine: &Engine) -> Result<Builder> {
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_builder_create(engine.handle.get(), &mut raw))?;
            Ok(Builder { handle: Handle::new(raw) })
        }
    }

    /// Creates a builder that continues from a finished graph.
    pub fn from_graph(engine: &Engine, graph: &Graph) -> Result<Builder> {
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_builder_from_graph(engine.handle.get(), graph.handle.get(), &mut raw))?;
            Ok(Builder { handle: Handle::new(raw) })
        }
    }

    #[inline]
    fn raw(&self) -> *mut sys::percale_builder {
        self.handle.get()
    }

    /// Calls a function that writes a value to its last argument.
    fn value(make: impl FnOnce(*mut sys::percale_value) -> *mut sys::percale_status) -> Result<Value> {
        let mut value = sys::PERCALE_NO_VALUE;
        check(make(&mut value))?;
        Ok(Value(value))
    }

    /// Returns the value with this name.
    pub fn find(&self, name: &str) -> Result<Value> {
        let name = CString::new(name)?;
        // SAFETY: the name is NUL-terminated.
        Builder::value(|out| unsafe { sys::percale_builder_find_value(self.raw(), name.as_ptr(), out) })
    }

    /// Adds an input. A dim of -1 is unknown.
    pub fn input(&mut self, name: &str, dtype: DType, dims: &[i64]) -> Result<Value> {
        let name = CString::new(name)?;
        // SAFETY: the name is NUL-terminated, the dims have the given length.
        Builder::value(|out| unsafe {
            sys::percale_builder_input(self.raw(), name.as_ptr(), dtype as i32, dims.as_ptr(), dims.len(), out)
        })
    }

    /// Adds a constant. The tensor is shared, not copied.
    pub fn constant(&mut self, tensor: &Tensor) -> Result<Value> {
        // SAFETY: the tensor is immutable, so the graph may keep it.
        Builder::value(|out| unsafe {
            sys::percale_builder_constant(self.raw(), std::ptr::null(), tensor.as_raw(), out)
        })
    }

    /// Adds a constant with a name.
    pub fn named_constant(&mut self, name: &str, tensor: &Tensor) -> Result<Value> {
        let name = CString::new(name)?;
        // SAFETY: as above.
        Builder::value(|out| unsafe { sys::percale_builder_constant(self.raw(), name.as_ptr(), tensor.as_raw(), out) })
    }

    /// Adds a trainable variable whose initial value is the tensor, and returns its value.
    pub fn variable(&mut self, name: &str, initial: &Tensor) -> Result<Value> {
        let name = CString::new(name)?;
        // SAFETY: as above.
        Builder::value(|out| unsafe { sys::percale_builder_variable(self.raw(), name.as_ptr(), initial.as_raw(), out) })
    }

    /// Adds a trainable variable whose initial value an initializer draws: `zeros`,
    /// `glorot_uniform`, `he_normal`, ...
    pub fn variable_drawn(&mut self, name: &str, dtype: DType, dims: &[i64], initializer: &str) -> Result<Value> {
        let (name, initializer) = (CString::new(name)?, CString::new(initializer)?);
        // SAFETY: the texts are NUL-terminated, the dims have the given length.
        Builder::value(|out| unsafe {
            sys::percale_builder_variable_initialized(
                self.raw(),
                name.as_ptr(),
                dtype as i32,
                dims.as_ptr(),
                dims.len(),
                initializer.as_ptr(),
                out,
            )
        })
    }

    /// Starts a node of an op, such as `Conv`, `percale:ApplyAdam`, or `sample:Square` of a
    /// plug-in. The first output of the node has the name of the node.
    pub fn op(&mut self, op: &str) -> Node<'_> {
        Node { builder: self, layer: false, op: op.into(), name: None, inputs: Vec::new(), attributes: Vec::new() }
    }

    /// Starts a layer, such as `Dense` or `Conv2D`. Its attributes have the names of Keras
    /// arguments.
    pub fn layer(&mut self, layer: &str) -> Node<'_> {
        Node { builder: self, layer: true, op: layer.into(), name: None, inputs: Vec::new(), attributes: Vec::new() }
    }

    /// Builds a function of the graph from everything that `body` adds. `body` returns the outputs.
    /// Functions can be nested.
    pub fn function<B>(&mut self, name: &str, body: B) -> Result<()>
    where
        B: FnOnce(&mut Builder) -> Result<Vec<Value>>,
    {
        let name = CString::new(name)?;
        // SAFETY: the name is NUL-terminated.
        check(unsafe { sys::percale_builder_begin_function(self.raw(), name.as_ptr()) })?;
        let made = body(self).and_then(|outputs| self.set_outputs(&outputs));
        // SAFETY: the builder is alive. The function ends even after an error, so the builder stays
        // usable.
        let ended = check(unsafe { sys::percale_builder_end_function(self.raw()) });
        made.and(ended)
    }

    /// Sets the outputs of the current function.
    pub fn set_outputs(&mut self, values: &[Value]) -> Result<()> {
        let values: Vec<_> = values.iter().map(|value| value.0).collect();
        // SAFETY: the arrays have the given lengths.
        check(unsafe { sys::percale_builder_set_outputs(self.raw(), values.as_ptr(), values.len()) })
    }

    /// Gives a value another name, which feeds and fetches then use.
    pub fn rename(&mut self, value: Value, name: &str) -> Result<()> {
        let name = CString::new(name)?;
        // SAFETY: the name is NUL-terminated.
        check(unsafe { sys::percale_builder_rename(self.raw(), value.0, name.as_ptr()) })
    }

    /// Returns the dtype and dims of a value.
    pub fn value_type(&self, value: Value) -> Result<ValueType> {
        // SAFETY: the array has the size of the highest rank.
        ValueType::read(|dtype, dims, rank| unsafe {
            sys::percale_builder_value_type(self.raw(), value.0, dtype, dims, rank)
        })
    }

    /// Sets a device hint (`cuda:0`) for the nodes that follow; an empty text removes it.
    pub fn set_device(&mut self, device: &str) -> Result<()> {
        let device = CString::new(device)?;
        // SAFETY: the name is NUL-terminated.
        check(unsafe { sys::percale_builder_set_device(self.raw(), device.as_ptr()) })
    }

    /// Makes the node of `after` run only once the node of `before` has run.
    pub fn control_dependency(&mut self, before: Value, after: Value) -> Result<()> {
        // SAFETY: the builder is alive.
        check(unsafe { sys::percale_builder_control_dependency(self.raw(), before.0, after.0) })
    }

    /// Adds nodes that compute the gradients of the sum of `ys` with respect to each of `xs`, and
    /// returns the gradients.
    pub fn gradients(&mut self, ys: &[Value], xs: &[Value]) -> Result<Vec<Value>> {
        let ys: Vec<_> = ys.iter().map(|value| value.0).collect();
        let xs: Vec<_> = xs.iter().map(|value| value.0).collect();
        let mut out = vec![sys::PERCALE_NO_VALUE; xs.len()];
        // SAFETY: the arrays have the given lengths, and the output has one element per x.
        check(unsafe {
            let (y_count, x_count) = (ys.len(), xs.len());
            sys::percale_builder_gradients(self.raw(), ys.as_ptr(), y_count, xs.as_ptr(), x_count, out.as_mut_ptr())
        })?;
        Ok(out.into_iter().map(Value).collect())
    }

    /// Adds the nodes of one training step, and returns the name of the target that runs one step.
    /// `optimizer` is a name, or JSON such as `{"name": "adam", "learning_rate": 0.001}`.
    pub fn minimize(&mut self, loss: Value, optimizer: &str) -> Result<String> {
        let optimizer = CString::new(optimizer)?;
        let mut name = std::ptr::null();
        // SAFETY: the text is NUL-terminated; the name is borrowed from the builder and copied.
        unsafe {
            check(sys::percale_builder_minimize(self.raw(), loss.0, optimizer.as_ptr(), &mut name))?;
            Ok(borrowed_text(name).unwrap_or_default())
        }
    }

    /// Returns the validated graph.
    pub fn finish(self) -> Result<Graph> {
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_builder_finish(self.raw(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }
}

/// A started node or layer; see [`Builder::op`] and [`Builder::layer`].
#[must_use = "finish() adds the node to the graph"]
pub struct Node<'b> {
    builder: &'b mut Builder,
    layer: bool,
    op: String,
    name: Option<String>,
    inputs: Vec<Value>,
    attributes: Vec<(String, Attribute)>,
}

impl Node<'_> {
    /// Sets the name. Without it the library chooses one.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds an input.
    pub fn input(mut self, value: Value) -> Self {
        self.inputs.push(value);
        self
    }

    /// Adds several inputs.
    pub fn inputs(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        self.inputs.extend(values);
        self
    }

    /// Sets the inputs, without absent ones at the end.
    pub(crate) fn trimmed_inputs(mut self, mut values: Vec<Value>) -> Self {
        while values.last() == Some(&Value::NONE) {
            values.pop();
        }
        self.inputs = values;
        self
    }

    /// Sets an attribute.
    pub fn set(mut self, attribute: &str, value: impl Into<Attribute>) -> Self {
        self.attributes.push((attribute.into(), value.into()));
        self
    }

    /// Sets an attribute that names a function of the graph, such as a branch of If or the body of
    /// Loop.
    pub fn function(self, attribute: &str, function: &str) -> Self {
        self.set(attribute, Attribute::Function(function.into()))
    }

    /// Adds the node or layer to the graph and returns its only output.
    pub fn finish(self) -> Result<Value> {
        Ok(self.finish_many::<1>()?[0])
    }

    /// Adds the node or layer to the graph and returns its first `N` outputs.
    pub fn finish_many<const N: usize>(self) -> Result<[Value; N]> {
        let mut out = [Value::NONE; N];
        out.copy_from_slice(&self.finish_vec(N)?);
        Ok(out)
    }

    /// Adds the node or layer to the graph and returns its first `count` outputs.
    pub fn finish_vec(self, count: usize) -> Result<Vec<Value>> {
        self.check_texts()?;
        let op = CString::new(self.op.as_str())?;
        let name = self.name.as_deref().map(CString::new).transpose()?;
        let name = name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
        let builder = self.builder.raw();
        let mut out = vec![sys::PERCALE_NO_VALUE; count];
        // SAFETY: the texts are NUL-terminated, the arrays have the given lengths, and all outlive
        // the calls.
        unsafe {
            check(if self.layer {
                sys::percale_builder_layer(builder, op.as_ptr(), name)
            } else {
                sys::percale_builder_node(builder, op.as_ptr(), name)
            })?;
            let filled = self.fill();
            let finished = check(sys::percale_builder_finish_node(builder, count, out.as_mut_ptr()));
            // Finishing a node with an error drops it and reports the same error again.
            filled.and(finished)?;
        }
        Ok(out.into_iter().map(Value).collect())
    }

    /// Checks that the library accepts all texts, before the node is started.
    fn check_texts(&self) -> Result<()> {
        for (attribute, value) in &self.attributes {
            CString::new(attribute.as_str())?;
            match value {
                Attribute::Text(text) | Attribute::Function(text) => drop(CString::new(text.as_str())?),
                Attribute::Texts(texts) => drop(Names::new(texts)?),
                _ => {}
            }
        }
        Ok(())
    }

    /// Passes the inputs and attributes of the current node to the library.
    unsafe fn fill(&self) -> Result<()> {
        let builder = self.builder.raw();
        for input in &self.inputs {
            check(sys::percale_builder_add_input(builder, input.0))?;
        }
        for (attribute, value) in &self.attributes {
            let key = CString::new(attribute.as_str())?;
            let key = key.as_ptr();
            check(match value {
                Attribute::Int(value) => sys::percale_builder_set_int(builder, key, *value),
                Attribute::Float(value) => sys::percale_builder_set_float(builder, key, *value),
                Attribute::Text(value) => {
                    sys::percale_builder_set_string(builder, key, CString::new(value.as_str())?.as_ptr())
                }
                Attribute::Ints(values) => sys::percale_builder_set_ints(builder, key, values.as_ptr(), values.len()),
                Attribute::Floats(values) => {
                    sys::percale_builder_set_floats(builder, key, values.as_ptr(), values.len())
                }
                Attribute::Texts(values) => {
                    let names = Names::new(values)?;
                    sys::percale_builder_set_strings(builder, key, names.as_ptr(), names.len())
                }
                Attribute::Tensor(tensor) => sys::percale_builder_set_tensor(builder, key, tensor.as_raw()),
                Attribute::Function(name) => {
                    sys::percale_builder_set_function(builder, key, CString::new(name.as_str())?.as_ptr())
                }
            })?;
        }
        Ok(())
    }
}
