//! An op: what it takes and gives, its shapes, its gradient.
use std::ffi::{c_void, CStr, CString};
use std::marker::PhantomData;
use std::slice;

use crate::attributes::{AttributeValue, Attributes};
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
    /// Ports with the same letter have the same dtype: one of `dtypes`, or for an output without
    /// any, that of the letter's input.
    pub const fn new(name: &'static CStr, letter: char, dtypes: &'static [raw::percale_dtype]) -> Self {
        Self { name, group: letter as u8, dtypes, optional: false }
    }

    /// An input that a node may leave out.
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }
}

/// The kind of an attribute, and its value where a node does not give one. They are read through
/// [`Attributes`].
#[derive(Clone, Copy)]
pub enum AttributeKind {
    /// A number.
    Float(Option<f64>),
    /// A whole number.
    Int(Option<i64>),
    /// Text.
    Text(Option<&'static CStr>),
    /// Numbers; none without a node's own.
    Floats,
    /// Whole numbers; none without a node's own.
    Ints,
    /// Texts; none without a node's own.
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
    /// One that a node may leave out.
    pub const fn new(name: &'static CStr, kind: AttributeKind) -> Self {
        Self { name, kind, required: false }
    }

    /// One that a node must give.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// An op that a plug-in adds to a domain of its own.
pub trait Op: 'static {
    /// The name. Graphs call the op "domain:NAME", by the domain of the plug-in.
    const NAME: &'static CStr;
    /// The version of the domain that brought the op.
    const SINCE: i32 = 1;
    /// A sentence about it.
    const DOC: &'static CStr;
    /// Its inputs.
    const INPUTS: &'static [Port];
    /// Its outputs.
    const OUTPUTS: &'static [Port];
    /// Its attributes.
    const ATTRIBUTES: &'static [Attribute] = &[];
    /// True if `gradient` is implemented.
    const HAS_GRADIENT: bool = false;

    /// Says dtype and dims of every output.
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
    /// The number of inputs.
    pub fn input_count(&self) -> usize {
        unsafe { there(self.host.shape().input_count, "input_count")(self.context) }
    }

    /// The dtype of an input; 0: absent.
    pub fn input_dtype(&self, index: usize) -> raw::percale_dtype {
        unsafe { there(self.host.shape().input_dtype, "input_dtype")(self.context, index) }
    }

    /// The dims of an input, -1 where one is not known; None: not even how many there are.
    pub fn input_dims(&self, index: usize) -> Option<&[i64]> {
        let mut rank = 0;
        // The dims live as long as the context.
        unsafe {
            let dims = there(self.host.shape().input_dims, "input_dims")(self.context, index, &mut rank);
            (rank != usize::MAX).then(|| slice::from_raw_parts(dims, rank))
        }
    }

    /// The node's attributes, the defaults filled in.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(self.host, unsafe { there(self.host.shape().attributes, "attributes")(self.context) })
    }

    /// Says what an output is; None for dims whose number is not known.
    pub fn set_output(&mut self, index: usize, dtype: raw::percale_dtype, dims: Option<&[i64]>) -> Result<(), Refusal> {
        let set = there(self.host.shape().set_output, "set_output");
        let (data, rank) = dims.map_or((std::ptr::null(), usize::MAX), |dims| (dims.as_ptr(), dims.len()));
        take(self.host, unsafe { set(self.context, index, dtype, data, rank) })
    }

    /// An output has the dtype and dims of an input.
    pub fn set_output_like_input(&mut self, output: usize, input: usize) -> Result<(), Refusal> {
        let dims = self.input_dims(input).map(<[i64]>::to_vec);
        self.set_output(output, self.input_dtype(input), dims.as_deref())
    }
}

/// A refusal of a status of the library, which is given back.
fn take(host: Host, status: *mut raw::percale_status) -> Result<(), Refusal> {
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

/// A value of the graph that a gradient is added to; -1: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(i32);

impl Value {
    /// An optional input that is left out.
    pub const NONE: Self = Self(raw::PERCALE_NO_VALUE);

    /// True for no value.
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
    /// The node's attributes, the defaults filled in.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(self.host, unsafe { there(self.host.grad().attributes, "attributes")(self.context) })
    }

    /// An input of the node.
    pub fn input(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.grad().input, "input")(self.context, index) })
    }

    /// An output of the node.
    pub fn output(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.grad().output, "output")(self.context, index) })
    }

    /// The gradient that arrives at an output; none: zero.
    pub fn output_gradient(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.grad().output_gradient, "output_gradient")(self.context, index) })
    }

    /// True if the gradient of an input is needed.
    pub fn wants(&self, input: usize) -> bool {
        unsafe { there(self.host.grad().wants, "wants")(self.context, input) != 0 }
    }

    /// The dtype of a value; 0: none.
    pub fn dtype(&self, value: Value) -> raw::percale_dtype {
        unsafe { there(self.host.grad().dtype, "dtype")(self.context, value.0) }
    }

    /// A constant of rank 0.
    pub fn scalar(&mut self, dtype: raw::percale_dtype, value: f64) -> Value {
        Value(unsafe { there(self.host.grad().scalar, "scalar")(self.context, dtype, value) })
    }

    /// A constant of rank 1 and dtype i64, as shapes and axes are given to ops.
    pub fn ints(&mut self, values: &[i64]) -> Value {
        Value(unsafe { there(self.host.grad().ints, "ints")(self.context, values.as_ptr(), values.len()) })
    }

    /// Adds a node, "Mul" or "domain:Op", and gives its first output. After an error, which the
    /// library reports itself, there is none, and what goes on with it adds nothing.
    pub fn emit(&mut self, op: &str, inputs: &[Value]) -> Value {
        self.emit_with(op, inputs, &[])
    }

    /// As [`Gradient::emit`], with attributes.
    pub fn emit_with(&mut self, op: &str, inputs: &[Value], attributes: &[(&CStr, AttributeValue<'_>)]) -> Value {
        let Ok(op) = CString::new(op) else { panic!("a NUL in the name of an op") };
        let inputs: Vec<i32> = inputs.iter().map(|value| value.0).collect();
        let attributes: Vec<_> = attributes.iter().map(|(name, value)| value.to_raw(name)).collect();
        let emit = there(self.host.grad().emit, "emit");
        let (inputs, count) = (inputs.as_ptr(), inputs.len());
        Value(unsafe { emit(self.context, op.as_ptr(), inputs, count, attributes.as_ptr(), attributes.len()) })
    }

    /// Sets the gradient of an input.
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
