//! A panic of a plug-in becomes a status or fails the run; nothing unwinds into the library.
//! The library is a table of this file.
use std::ffi::{c_char, c_void, CStr};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use percale_plugin::raw::*;
use percale_plugin::{dtype, plugin, Gradient, Kernel, Launch, Node, Op, Plan, Port, Refusal, Shape};

struct Broken;

impl Op for Broken {
    const NAME: &'static CStr = c"Broken";
    const DOC: &'static CStr = c"Panics.";
    const INPUTS: &'static [Port] =
        &[Port::new(c"x", 'T', &[dtype::F32, dtype::F64]), Port::new(c"w", 'T', &[]).optional()];
    const OUTPUTS: &'static [Port] = &[Port::new(c"y", 'T', &[])];
    const HAS_GRADIENT: bool = true;

    fn shape(context: &mut Shape) -> Result<(), Refusal> {
        panic!("no shape for {} inputs", context.input_count())
    }

    fn gradient(_: &mut Gradient) -> Result<(), Refusal> {
        /// Panics once more when the first panic is dropped.
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("again");
            }
        }
        std::panic::panic_any(Bomb)
    }
}

struct Refuses;

impl Kernel for Refuses {
    const NAME: &'static CStr = c"test.refuses";
    const DOMAIN: &'static CStr = c"test";
    const OP: &'static CStr = c"Broken";

    fn accepts(node: &Node) -> Result<(), Refusal> {
        assert_eq!(node.attributes().floats(c"scales"), Some(&[0.5, 2.0][..]));
        assert_eq!(node.attributes().floats(c"none"), Some(&[][..]));
        assert_eq!(node.attributes().floats(c"other"), None);
        Err(Refusal::unimplemented("works on no node"))
    }

    fn plan(_: &Node, _: &mut Plan) -> Result<Self, Refusal> {
        unreachable!()
    }

    fn run(&self, _: &mut Launch) -> Result<(), Refusal> {
        unreachable!()
    }
}

struct PanicsInPieces;

impl Drop for PanicsInPieces {
    fn drop(&mut self) {
        panic!("at the end");
    }
}

impl Kernel for PanicsInPieces {
    const NAME: &'static CStr = c"test.panics";
    const DOMAIN: &'static CStr = c"test";
    const OP: &'static CStr = c"Broken";

    fn plan(node: &Node, _: &mut Plan) -> Result<Self, Refusal> {
        assert_eq!(node.input_dims(0), Some(&[3i64, 2][..]));
        Ok(Self)
    }

    fn run(&self, launch: &mut Launch) -> Result<(), Refusal> {
        assert!(launch.input::<f64>(0).is_err() && launch.input::<f32>(1).is_err(), "dtype, index");
        let (x, y) = (launch.input::<f32>(0)?, launch.output::<f32>(0)?);
        assert!(launch.output::<f32>(0).is_err(), "taken twice");
        launch.parallel_chunks(y, 4, |from, chunk| {
            chunk.copy_from_slice(&x[from..from + chunk.len()]);
            assert!(from == 0, "the second chunk");
        });
        Ok(())
    }
}

plugin! { name: c"broken", version: c"2.5", domain: c"test", ops: [Broken], kernels: [Refuses, PanicsInPieces] }

/// A status as the table of this test makes it: code and message, on the heap.
type Made = (i32, String);

unsafe extern "C" fn status_create(code: i32, text: *const c_char, size: usize) -> *mut percale_status {
    let text = std::slice::from_raw_parts(text.cast::<u8>(), size);
    Box::into_raw(Box::new((code, String::from_utf8(text.to_vec()).unwrap()))).cast()
}

fn made(status: *mut percale_status) -> Made {
    assert!(!status.is_null(), "all is well, says the plug-in");
    *unsafe { Box::from_raw(status.cast::<Made>()) }
}

unsafe extern "C" fn one(_: *const percale_node_view) -> usize {
    1
}
unsafe extern "C" fn f32_dtype(_: *const percale_node_view, _: usize) -> percale_dtype {
    dtype::F32
}
unsafe extern "C" fn three_by_two(_: *const percale_node_view, _: usize, rank: *mut usize) -> *const i64 {
    static DIMS: [i64; 2] = [3, 2];
    *rank = 2;
    DIMS.as_ptr()
}
/// The node has the attribute "scales", and "none", which has no elements.
unsafe extern "C" fn scales(
    _: *const percale_attributes,
    name: *const c_char,
    values: *mut *const f64,
    count: *mut usize,
) -> i32 {
    static SCALES: [f64; 2] = [0.5, 2.0];
    match CStr::from_ptr(name).to_bytes() {
        b"scales" => (*values, *count) = (SCALES.as_ptr(), SCALES.len()),
        b"none" => (*values, *count) = (ptr::null(), 0),
        _ => return 0,
    }
    1
}
unsafe extern "C" fn two_inputs(_: *const percale_shape_context) -> usize {
    2
}
unsafe extern "C" fn in_turn(
    _: *mut percale_run_context,
    pieces: i64,
    body: Option<unsafe extern "C" fn(*mut c_void, i64)>,
    work: *mut c_void,
) {
    for piece in 0..pieces {
        body.unwrap()(work, piece);
    }
}
unsafe extern "C" fn run_fail(run: *mut percale_run_context, code: i32, text: *const c_char, size: usize) {
    assert!(size > 0 && std::str::from_utf8(std::slice::from_raw_parts(text.cast::<u8>(), size)).is_ok());
    (*run.cast::<AtomicI32>()).store(code, Ordering::Relaxed);
}

unsafe extern "C" fn no_attributes(_: *const percale_node_view) -> *const percale_attributes {
    ptr::null()
}

/// A table without the functions that this test does not need; those of shapes have `input_count`
/// or not.
fn table_with(input_count: bool) -> percale_host_api {
    fn kept<T>(table: T) -> *const T {
        Box::leak(Box::new(table))
    }
    // All slots may be NULL, and so may the tables that no test asks for.
    let zeroed = || unsafe { MaybeUninit::<percale_host_api>::zeroed().assume_init() };
    let mut table = zeroed();
    table.struct_size = size_of::<percale_host_api>() as u32;
    macro_rules! fill {
        ($theme:ident: $type:ident { $($slot:ident = $function:expr),* }) => {
            let mut of_theme: $type = unsafe { MaybeUninit::zeroed().assume_init() };
            $(of_theme.$slot = $function;)*
            table.$theme = kept(of_theme);
        };
    }
    fill!(status: percale_host_status_api { create = Some(status_create) });
    fill!(attributes: percale_host_attributes_api { get_floats = Some(scales) });
    fill!(node: percale_host_node_api {
        input_count = Some(one),
        output_count = Some(one),
        input_dtype = Some(f32_dtype),
        output_dtype = Some(f32_dtype),
        input_dims = Some(three_by_two),
        output_dims = Some(three_by_two),
        attributes = Some(no_attributes)
    });
    fill!(run: percale_host_run_api { parallel_for = Some(in_turn), fail = Some(run_fail) });
    fill!(shape: percale_host_shape_api { input_count = if input_count { Some(two_inputs) } else { None } });
    table
}

fn table() -> percale_host_api {
    table_with(true)
}

use std::mem::size_of;

fn plugin(host: &'static percale_host_api) -> &'static percale_plugin_api {
    let mut api = ptr::null();
    assert!(unsafe { percale_plugin_init(host, PERCALE_PLUGIN_ABI, ptr::null(), &mut api) }.is_null());
    unsafe { &*api }
}

#[test]
fn panics_of_an_op_are_statuses() {
    let host = Box::leak(Box::new(table()));
    let op = unsafe { &**plugin(host).ops };
    let status = unsafe { op.shape.unwrap()(op.user, ptr::null_mut()) };
    assert_eq!(made(status), (PERCALE_INTERNAL, "the plug-in panicked: no shape for 2 inputs".into()));
    let status = unsafe { op.gradient.unwrap()(op.user, ptr::null_mut()) };
    assert_eq!(made(status), (PERCALE_INTERNAL, "the plug-in panicked: without a message".into()));
}

#[test]
fn a_function_that_the_library_lacks_is_a_status() {
    let lacking = table_with(false);
    let op = unsafe { &**plugin(Box::leak(Box::new(lacking))).ops };
    let status = unsafe { op.shape.unwrap()(op.user, ptr::null_mut()) };
    assert_eq!(made(status).1, "the plug-in panicked: the library has no function input_count");
}

#[test]
fn panics_of_a_kernel_fail_the_run() {
    let host = Box::leak(Box::new(table()));
    let kernels = unsafe { std::slice::from_raw_parts(plugin(host).kernels, plugin(host).kernel_count) };
    let [refuses, panics] = [0, 1].map(|i| unsafe { &*kernels[i] });
    let status = unsafe { refuses.accepts.unwrap()(refuses.user, ptr::null()) };
    assert_eq!(made(status), (PERCALE_UNIMPLEMENTED, "works on no node".into()));

    let mut state = ptr::null_mut();
    let (x, mut y, failed) = ([1f32, 2.0, 3.0, 4.0, 5.0, 6.0], [0f32; 6], AtomicI32::new(0));
    unsafe {
        assert!(panics.accepts.unwrap()(panics.user, ptr::null()).is_null());
        assert!(panics.plan.unwrap()(panics.user, ptr::null(), ptr::null_mut(), &mut state).is_null());
        let launch = |operands: &[*mut c_void; 2]| {
            let run = ptr::from_ref(&failed).cast_mut().cast();
            let launch =
                percale_launch { operands: operands.as_ptr(), scratch: ptr::null_mut(), stream: ptr::null_mut(), run };
            panics.run.unwrap()(state, &launch);
            failed.swap(0, Ordering::Relaxed)
        };
        let from = x.as_ptr().cast_mut().cast();
        assert_eq!(launch(&[from, y.as_mut_ptr().cast()]), PERCALE_INTERNAL);
        assert_eq!(y, x, "both chunks were worked on");
        assert_eq!(launch(&[from, from]), PERCALE_INTERNAL, "an output in the memory of an input");
        assert_eq!(launch(&[from, ptr::null_mut()]), PERCALE_INTERNAL, "an output that is absent");
        panics.destroy.unwrap()(state);
    }
}

#[test]
fn every_copy_of_the_library_has_a_table_of_its_own() {
    let (a, b) = (Box::leak(Box::new(table())), Box::leak(Box::new(table())));
    assert!(ptr::eq(plugin(a), plugin(a)) && !ptr::eq(plugin(a), plugin(b)));
    let op = unsafe { &**plugin(b).ops };
    assert!(ptr::eq(op.user.cast(), b));
    let inputs = unsafe { std::slice::from_raw_parts(op.inputs, op.input_count) };
    assert_eq!(inputs[0].dtypes, (1 << 1) | (1 << 11));
    assert_eq!((inputs[0].optional, inputs[1].optional, inputs[1].dtypes), (0, 1, 0));
    assert_eq!(unsafe { CStr::from_ptr(plugin(b).version) }, c"2.5");
}

#[test]
fn an_older_library_gets_nothing() {
    let mut old = table();
    old.struct_size -= 8;
    let mut api = ptr::null();
    assert!(unsafe { percale_plugin_init(&old, PERCALE_PLUGIN_ABI, ptr::null(), &mut api) }.is_null() && api.is_null());
    let host = Box::leak(Box::new(table()));
    let status = unsafe { percale_plugin_init(host, 0, ptr::null(), &mut api) };
    assert_eq!(made(status), (PERCALE_UNIMPLEMENTED, "the library is older than the plug-in".into()));
    assert!(api.is_null());
}
