//! The tables that a plug-in passes to the library.
use std::ffi::{c_char, CStr};
use std::mem::size_of;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::host::{Host, Refusal};
use crate::kernel::{accepts_of, destroy_of, plan_of, run_of, Kernel};
use crate::op::{gradient_of, shape_of, Attribute, AttributeKind, Op, Port};
use crate::raw;

/// The tables of a plug-in under construction. What is added is never freed.
pub struct Tables {
    host: Host,
    name: &'static CStr,
    version: &'static CStr,
    domain: &'static CStr,
    ops: Vec<*const raw::percale_op>,
    kernels: Vec<*const raw::percale_kernel>,
}

/// Moves a value to memory that is never freed.
fn keep<T>(value: T) -> *const T {
    Box::leak(Box::new(value))
}

/// Moves values to memory that is never freed. Returns their address and number.
fn keep_all<T: 'static>(values: Vec<T>) -> (*const T, usize) {
    let kept: &'static [T] = Vec::leak(values);
    (kept.as_ptr(), kept.len())
}

fn value_of(port: &Port) -> raw::percale_op_value {
    raw::percale_op_value {
        name: port.name.as_ptr(),
        type_group: port.group as c_char,
        dtypes: port.dtypes.iter().fold(0, |bits, dtype| bits | (1 << dtype)),
        optional: port.optional.into(),
    }
}

fn attribute_of(attribute: &Attribute) -> raw::percale_op_attribute {
    let (kind, float, int, text) = match attribute.kind {
        AttributeKind::Float(value) => (raw::PERCALE_ATTRIBUTE_FLOAT, value, None, None),
        AttributeKind::Int(value) => (raw::PERCALE_ATTRIBUTE_INT, None, value, None),
        AttributeKind::Text(value) => (raw::PERCALE_ATTRIBUTE_STRING, None, None, value),
        AttributeKind::Floats => (raw::PERCALE_ATTRIBUTE_FLOATS, None, None, None),
        AttributeKind::Ints => (raw::PERCALE_ATTRIBUTE_INTS, None, None, None),
        AttributeKind::Texts => (raw::PERCALE_ATTRIBUTE_STRINGS, None, None, None),
    };
    raw::percale_op_attribute {
        name: attribute.name.as_ptr(),
        kind,
        required: attribute.required.into(),
        has_default: (float.is_some() || int.is_some() || text.is_some()).into(),
        int_default: int.unwrap_or(0),
        float_default: float.unwrap_or(0.0),
        string_default: text.map_or(ptr::null(), CStr::as_ptr),
    }
}

impl Tables {
    /// Sets the name and the version of the plug-in, and the domain of its ops.
    pub fn named(mut self, name: &'static CStr, version: &'static CStr, domain: &'static CStr) -> Self {
        (self.name, self.version, self.domain) = (name, version, domain);
        self
    }

    /// Adds an op.
    pub fn op<O: Op>(mut self) -> Self {
        let (inputs, input_count) = keep_all(O::INPUTS.iter().map(value_of).collect());
        let (outputs, output_count) = keep_all(O::OUTPUTS.iter().map(value_of).collect());
        let (attributes, attribute_count) = keep_all(O::ATTRIBUTES.iter().map(attribute_of).collect());
        self.ops.push(keep(raw::percale_op {
            struct_size: size_of::<raw::percale_op>() as u32,
            name: O::NAME.as_ptr(),
            since: O::SINCE,
            doc: O::DOC.as_ptr(),
            inputs,
            input_count,
            outputs,
            output_count,
            attributes,
            attribute_count,
            user: self.host.as_user(),
            shape: Some(shape_of::<O>),
            gradient: if O::HAS_GRADIENT { Some(gradient_of::<O>) } else { None },
        }));
        self
    }

    /// Adds a kernel. The library asks several kernels of one op in the order of their addition.
    pub fn kernel<K: Kernel>(mut self) -> Self {
        self.kernels.push(keep(raw::percale_kernel {
            struct_size: size_of::<raw::percale_kernel>() as u32,
            name: K::NAME.as_ptr(),
            device_kind: K::DEVICE.as_ptr(),
            domain: K::DOMAIN.as_ptr(),
            op: K::OP.as_ptr(),
            accepts: Some(accepts_of::<K>),
            plan: Some(plan_of::<K>),
            run: Some(run_of::<K>),
            destroy: Some(destroy_of::<K>),
            user: self.host.as_user(),
        }));
        self
    }

    fn finish(self) -> *const raw::percale_plugin_api {
        let (ops, op_count) = keep_all(self.ops);
        let (kernels, kernel_count) = keep_all(self.kernels);
        keep(raw::percale_plugin_api {
            struct_size: size_of::<raw::percale_plugin_api>() as u32,
            name: self.name.as_ptr(),
            version: self.version.as_ptr(),
            domain: self.domain.as_ptr(),
            ops,
            op_count,
            kernels,
            kernel_count,
            devices: ptr::null(),
            device_count: 0,
            formats: ptr::null(),
            format_count: 0,
            transports: ptr::null(),
            transport_count: 0,
        })
    }
}

/// The body of the function that [`plugin!`](crate::plugin) exports. Every copy of the library in
/// the process calls it, once per engine. `known` has pairs of a copy's table and the table that it
/// got.
///
/// # Safety
/// As for `percale_plugin_init()`.
#[doc(hidden)]
pub unsafe fn init(
    host: *const raw::percale_host_api,
    host_abi: u32,
    out_plugin: *mut *const raw::percale_plugin_api,
    known: &Mutex<Vec<(usize, usize)>>,
    fill: impl FnOnce(Tables) -> Tables,
) -> *mut raw::percale_status {
    // The table of a library that is too old may lack the function that creates a status. Such a
    // library sees an error because it gets no table.
    let Some(given) = Host::new(host) else { return ptr::null_mut() };
    given.shield(|| {
        if host_abi < raw::PERCALE_PLUGIN_ABI {
            return Err(Refusal::unimplemented("the library is older than the plug-in"));
        }
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&(_, table)) = known.iter().find(|(of, _)| *of == host as usize) {
            *out_plugin = table as *const raw::percale_plugin_api;
            return Ok(());
        }
        let tables = Tables { host: given, name: c"", version: c"", domain: c"", ops: vec![], kernels: vec![] };
        let table = fill(tables).finish();
        known.push((host as usize, table as usize));
        *out_plugin = table;
        Ok(())
    })
}
