//! An op: what it takes and gives, its shapes, its gradient.
use std::ffi::{c_void, CStr, CString};
use std::marker::PhantomData;
use std::slice;

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
    /// Ports with the same letter have the same dtype: one of `dtypes`, or for an output without any, that of the letter's input.
    pub const fn new(name: &'static CStr, letter: char, dtypes: &'static [raw::percale_dtype]) -> Self {
        Self { name, group: letter as u8, dtypes, optional: false }
    }

    /// An input that a node may leave out.
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }
}

/// The kind of an attribute, and its value where a node does not give one. A kernel reads all of them from its [`Node`](crate::Node);
/// a shape function reads Int alone.
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
    /// The domain, which names the plug-in's maker: an op is called "domain:Name" in graphs.
    const DOMAIN: &'static CStr;
    /// The name.
    const NAME: &'static CStr;
    /// The version of the domain that brought the op.
    const SINCE: i32 = 1;
    /// A sentence about it.
    const DOC: &'static CStr;
    /// What it takes.
    const INPUTS: &'static [Port];
    /// What it gives.
    const OUTPUTS: &'static [Port];
    /// Its attributes.
    const ATTRIBUTES: &'static [Attribute] = &[];
    /// Whether `gradient` is there.
    const HAS_GRADIENT: bool = false;
    /// Whether the gradient is the same for all values of the attributes. `gradient` can neither read attributes nor give
    /// them to nodes, so an op that has both is refused unless it says this.
    const GRADIENT_IGNORES_ATTRIBUTES: bool = false;

    /// Says dtype and dims of every output.
    fn shape(context: &mut Shape<'_>) -> Result<(), Refusal>;

    /// Adds the nodes that compute the gradients of the inputs.
    fn gradient(_context: &mut Gradient<'_>) -> Result<(), Refusal> {
        Err(Refusal::unimplemented("the op has no gradient"))
    }
}

/// What a shape function reads and fills.
pub struct Shape<'a> {
    host: Host,
    context: *mut raw::percale_shape_context,
    lifetime: PhantomData<&'a mut ()>,
}

impl Shape<'_> {
    /// How many inputs there are.
    pub fn input_count(&self) -> usize {
        unsafe { there(self.host.table().shape_input_count, "shape_input_count")(self.context) }
    }

    /// The dtype of an input; 0: absent.
    pub fn input_dtype(&self, index: usize) -> raw::percale_dtype {
        unsafe { there(self.host.table().shape_input_dtype, "shape_input_dtype")(self.context, index) }
    }

    /// The dims of an input, -1 where one is not known; None: not even how many there are.
    pub fn input_dims(&self, index: usize) -> Option<&[i64]> {
        let mut rank = 0;
        // The dims live as long as the context.
        unsafe {
            let dims = there(self.host.table().shape_input_dims, "shape_input_dims")(self.context, index, &mut rank);
            (rank != usize::MAX).then(|| slice::from_raw_parts(dims, rank))
        }
    }

    /// An attribute of kind Int, or its default.
    pub fn attribute_int(&self, name: &CStr) -> Option<i64> {
        let mut value = 0;
        let get = there(self.host.table().shape_attribute_int, "shape_attribute_int");
        (unsafe { get(self.context, name.as_ptr(), &mut value) } != 0).then_some(value)
    }

    /// Says what an output is; None for dims whose number is not known.
    pub fn set_output(&mut self, index: usize, dtype: raw::percale_dtype, dims: Option<&[i64]>) -> Result<(), Refusal> {
        let set = there(self.host.table().shape_set_output, "shape_set_output");
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
    let table = host.table();
    unsafe {
        let mut size = 0;
        let text = there(table.status_message, "status_message")(status, &mut size);
        let message = String::from_utf8_lossy(slice::from_raw_parts(text.cast::<u8>(), size)).into_owned();
        let code = there(table.status_code, "status_code")(status);
        there(table.status_release, "status_release")(status);
        Err(Refusal::new(code, message))
    }
}

/// A value of the graph that a gradient is added to; -1: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(i32);

impl Value {
    /// An optional input that is left out.
    pub const NONE: Self = Self(raw::PERCALE_NO_VALUE);

    /// Whether there is none.
    pub fn is_none(self) -> bool {
        self.0 < 0
    }
}

/// What a gradient function reads, and adds nodes to.
pub struct Gradient<'a> {
    host: Host,
    context: *mut raw::percale_grad_context,
    lifetime: PhantomData<&'a mut ()>,
}

impl Gradient<'_> {
    /// An input of the node.
    pub fn input(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.table().grad_input, "grad_input")(self.context, index) })
    }

    /// An output of the node.
    pub fn output(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.table().grad_output, "grad_output")(self.context, index) })
    }

    /// The gradient that reaches an output.
    pub fn of_output(&self, index: usize) -> Value {
        Value(unsafe { there(self.host.table().grad_of_output, "grad_of_output")(self.context, index) })
    }

    /// Adds a node, "Mul" or "domain:Op", and gives its first output. After an error, which the library reports itself, there is none,
    /// and what goes on with it adds nothing.
    pub fn emit(&mut self, op: &str, inputs: &[Value]) -> Value {
        let Ok(op) = CString::new(op) else { panic!("a NUL in the name of an op") };
        let inputs: Vec<i32> = inputs.iter().map(|value| value.0).collect();
        let emit = there(self.host.table().grad_emit, "grad_emit");
        Value(unsafe { emit(self.context, op.as_ptr(), inputs.as_ptr(), inputs.len()) })
    }

    /// The gradient of an input.
    pub fn set(&mut self, input: usize, value: Value) {
        unsafe { there(self.host.table().grad_set, "grad_set")(self.context, input, value.0) }
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
