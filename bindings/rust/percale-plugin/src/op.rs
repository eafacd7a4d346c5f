//! An op: its inputs, outputs and attributes, its shape function, and its gradient.
use std::ffi::{c_void, CStr, CString};
use std::marker::PhantomData;
use std::slice;

use crate::attributes::{list_of, AttributeValue, Attributes};
use crate::host::{there, Host, Refusal};
use crate::raw;

/// An input or output of an op.
#[derive(Clone, Copy)]
pub struct Port {
    pub(crate) name: &'static CStr,
    pub(crate) group: u8,
    pub(crate) dtypes: &'static [raw::percale_dtype],
    pub(crate) optional: bool,
}

impl Port {
    /// Creates an input or output. Those with the same letter have the same dtype, which is one of
    /// `dtypes`. An output may leave `dtypes` empty: its dtype is then that of the inputs with its
    /// letter.
    pub const fn new(name: &'static CStr, letter: char, dtypes: &'static [raw::percale_dtype]) -> Self {
        Self { name, group: letter as u8, dtypes, optional: false }
    }

    /// Returns the input as one that a node may leave out.
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }
}

/// The kind of an attribute and its default. [`Attributes`] reads the values.
#[derive(Clone, Copy)]
pub enum AttributeKind {
    /// A number.
    Float(Option<f64>),
    /// A whole number.
    Int(Option<i64>),
    /// Text.
    Text(Option<&'static CStr>),
    /// Numbers, without a default.
    Floats,
    /// Whole numbers, without a default.
    Ints,
    /// Texts, without a default.
    Texts,
}

/// An attribute of an op.
#[derive(Clone, Copy)]
pub struct Attribute {
    pub(crate) name: &'static CStr,
    pub(crate) kind: AttributeKind,
    pub(crate) required: bool,
}

impl Attribute {
    /// Creates an attribute that a node may leave out.
    pub const fn new(name: &'static CStr, kind: AttributeKind) -> Self {
        Self { name, kind, required: false }
    }

    /// Returns the attribute as one that a node must give.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// An op that a plug-in adds to a domain of its own.
pub trait Op: 'static {
    /// The name. Graphs call the op "domain:NAME", by the domain of the plug-in.
    const NAME: &'static CStr;
    /// The first version of the domain that has the op.
    const SINCE: i32 = 1;
    /// A sentence that says what the op does.
    const DOC: &'static CStr;
    /// The inputs.
    const INPUTS: &'static [Port];
    /// The outputs.
    const OUTPUTS: &'static [Port];
    /// The attributes.
    const ATTRIBUTES: &'static [Attribute] = &[];
    /// True if `gradient` is implemented.
    const HAS_GRADIENT: bool = false;

    /// Sets the dtype and the dims of every output.
    fn shape(context: &mut Shape<'_>) -> Result<(), Refusal>;

    /// Adds the nodes that compute the gradients of the inputs.
    fn gradient(_context: &mut Gradient<'_>) -> Result<(), Refusal> {
        Err(Refusal::unimplemented("the op has no gradient"))
    }
}

/// The node whose output shapes are wanted.
pub struct Shape<'a> {
    host: Host,
    context: *mut raw::percale_shape_context,
    lifetime: PhantomData<&'a mut ()>,
}

impl Shape<'_> {
    /// Returns the number of inputs, absent ones included.
    pub fn input_count(&self) -> usize {
        unsafe { there(self.host.shape().input_count, "input_count")(self.context) }
    }

    /// Returns the dtype of an input, or 0 for an absent one.
    pub fn input_dtype(&self, index: usize) -> raw::percale_dtype {
        unsafe { there(self.host.shape().input_dtype, "input_dtype")(self.context, index) }
    }

    /// Returns the dims of an input, with -1 for an unknown dim, or None if even the rank is
    /// unknown.
    pub fn input_dims(&self, index: usize) -> Option<&[i64]> {
        let mut rank = 0;
        // SAFETY: the dims live as long as the context.
        unsafe {
            let dims = there(self.host.shape().input_dims, "input_dims")(self.context, index, &mut rank);
            list_of(rank != usize::MAX, dims, rank)
        }
    }

    /// Returns the attributes of the node.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(self.host, unsafe { there(self.host.shape().attributes, "attributes")(self.context) })
    }

    /// Sets the dtype and the dims of an output. None as the dims means an unknown rank.
    pub fn set_output(&mut self, index: usize, dtype: raw::percale_dtype, dims: Option<&[i64]>) -> Result<(), Refusal> {
        let set = there(self.host.shape().set_output, "set_output");
        let (data, rank) = dims.map_or((std::ptr::null(), usize::MAX), |dims| (dims.as_ptr(), dims.len()));
        result_of(self.host, unsafe { set(self.context, index, dtype, data, rank) })
    }

    /// Gives an output the dtype and the dims of an input.
    pub fn set_output_like_input(&mut self, output: usize, input: usize) -> Result<(), Refusal> {
        let dims = self.input_dims(input).map(<[i64]>::to_vec);
        self.set_output(output, self.input_dtype(input), dims.as_deref())
    }
}

/// Converts a status of the library to a result, and releases it.
fn result_of(host: Host, status: *mut raw::percale_status) -> Result<(), Refusal> {
    if status.is_null() {
        return Ok(());
    }
    unsafe {
        let mut size = 0;
        let text = there(host.statuses().message, "message")(status, &mut size);
        let message = String::from_utf8_lossy(slice::from_raw_parts(text.cast::<u8>(), size)).into_owned();
        let code = there(host.statuses().code, "code")(status);
        there(host.statuses().release, "release")(status);
        Err(Refusal::new(code, message))
    }
}

/// A value of the graph that a gradient is added to, or [`Value::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(i32);

impl Value {
    /// No value: an optional input that is left out, or a gradient that is zero.
    pub const NONE: Self = Self(raw::PERCALE_NO_VALUE);

    /// Returns true for [`Value::NONE`].
    pub fn is_none(self) -> bool {
        self.0 < 0
    }
}

/// The node whose gradient is wanted, and the function that nodes are added to.
pub struct Gradient<'a> {
    host: Host,
    context: *mut raw::percale_grad_context,
    lifetime: PhantomData<&'a mut ()>,
}

impl Gradient<'_> {
    /// Returns the attributes of the node.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(self.host, unsafe { there(self.host.grad().attributes, "attributes")(self.context) })
    }

    /// Returns an input of the node.
    pub fn input(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.grad().input, "input")(self.context, index) })
    }

    /// Returns an output of the node.
    pub fn output(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.grad().output, "output")(self.context, index) })
    }

    /// Returns the gradient with respect to an output, or [`Value::NONE`] if it is zero.
    pub fn output_gradient(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.grad().output_gradient, "output_gradient")(self.context, index) })
    }

    /// Returns true if the gradient with respect to an input is needed.
    pub fn wants(&self, input: usize) -> bool {
        unsafe { there(self.host.grad().wants, "wants")(self.context, input) != 0 }
    }

    /// Returns the dtype of a value, or 0 for [`Value::NONE`].
    pub fn dtype(&self, value: Value) -> raw::percale_dtype {
        unsafe { there(self.host.grad().dtype, "dtype")(self.context, value.0) }
    }

    /// Adds a constant of rank 0.
    pub fn scalar(&mut self, dtype: raw::percale_dtype, value: f64) -> Value {
        Value(unsafe { there(self.host.grad().scalar, "scalar")(self.context, dtype, value) })
    }

    /// Adds a constant of rank 1 and dtype i64, such as a shape or axes for an op.
    pub fn ints(&mut self, values: &[i64]) -> Value {
        Value(unsafe { there(self.host.grad().ints, "ints")(self.context, values.as_ptr(), values.len()) })
    }

    /// Adds a node "Op" or "domain:Op" and returns its first output. After the first error nothing
    /// is added any more and [`Value::NONE`] is returned; the library then fails the gradient, so
    /// that callers need not check.
    pub fn emit(&mut self, op: &str, inputs: &[Value]) -> Value {
        self.emit_with(op, inputs, &[])
    }

    /// Adds a node like [`Gradient::emit`], with attributes.
    pub fn emit_with(&mut self, op: &str, inputs: &[Value], attributes: &[(&CStr, AttributeValue<'_>)]) -> Value {
        let Ok(op) = CString::new(op) else { panic!("the name of the op {op:?} holds a NUL") };
        let inputs: Vec<i32> = inputs.iter().map(|value| value.0).collect();
        let attributes: Vec<_> = attributes.iter().map(|(name, value)| value.to_raw(name)).collect();
        let emit = there(self.host.grad().emit, "emit");
        let (inputs, count) = (inputs.as_ptr(), inputs.len());
        Value(unsafe { emit(self.context, op.as_ptr(), inputs, count, attributes.as_ptr(), attributes.len()) })
    }

    /// Sets the gradient with respect to an input.
    pub fn set_input_gradient(&mut self, input: usize, value: Value) {
        let set = there(self.host.grad().set_input_gradient, "set_input_gradient");
        unsafe { set(self.context, input, value.0) }
    }
}

pub(crate) unsafe extern "C" fn shape_of<O: Op>(
    user: *mut c_void,
    context: *mut raw::percale_shape_context,
) -> *mut raw::percale_status {
    let host = Host::from_user(user);
    host.shield(|| O::shape(&mut Shape { host, context, lifetime: PhantomData }))
}

pub(crate) unsafe extern "C" fn gradient_of<O: Op>(
    user: *mut c_void,
    context: *mut raw::percale_grad_context,
) -> *mut raw::percale_status {
    let host = Host::from_user(user);
    host.shield(|| O::gradient(&mut Gradient { host, context, lifetime: PhantomData }))
}
