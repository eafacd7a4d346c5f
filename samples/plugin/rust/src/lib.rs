//! A plug-in in Rust: the op `sample:Bump`, y = exp(-gamma x²), a radial basis function with a
//! learned width. It has a gradient and a kernel for the CPU. `cargo build --release` makes
//! `target/release/libpercale_bump.so`, which does not link to Percale.
use std::ffi::CStr;

use percale_plugin::{dtype, plugin, Gradient, Kernel, Launch, Node, Op, Plan, Port, Refusal, Shape};

struct Bump;

impl Op for Bump {
    const NAME: &'static CStr = c"Bump";
    const DOC: &'static CStr = c"exp(-gamma x^2).";
    const INPUTS: &'static [Port] = &[Port::new(c"x", 'T', &[dtype::F32]), Port::new(c"gamma", 'T', &[dtype::F32])];
    const OUTPUTS: &'static [Port] = &[Port::new(c"y", 'T', &[])];
    const HAS_GRADIENT: bool = true;

    fn shape(context: &mut Shape) -> Result<(), Refusal> {
        match context.input_dims(1) {
            None | Some([] | [1] | [-1]) => context.set_output_like_input(0, 0),
            Some(dims) => Err(Refusal::invalid_argument(format!("'gamma' must be one number, not {dims:?}"))),
        }
    }

    /// dx = -2 gamma x y dy, dgamma = the sum of -x² y dy.
    fn gradient(context: &mut Gradient) -> Result<(), Refusal> {
        let (x, gamma, y, dy) = (context.input(0), context.input(1), context.output(0), context.output_gradient(0));
        let weight = context.emit("Mul", &[y, dy]);
        let weight = context.emit("Neg", &[weight]);
        let weight = context.emit("Mul", &[weight, x]); // -x y dy
        let twice = context.emit("Add", &[gamma, gamma]);
        let dx = context.emit("Mul", &[weight, twice]);
        let each = context.emit("Mul", &[weight, x]);
        let shape = context.emit("Shape", &[gamma]);
        let dgamma = context.emit("percale:SumToShape", &[each, shape]);
        context.set_input_gradient(0, dx);
        context.set_input_gradient(1, dgamma);
        Ok(())
    }
}

/// Elements that a thread processes at a time. It does not depend on the number of threads, so the
/// bits do not either.
const PIECE: usize = 16384;

struct BumpOnCpu;

impl Kernel for BumpOnCpu {
    const NAME: &'static CStr = c"sample.bump";
    const DOMAIN: &'static CStr = c"sample";
    const OP: &'static CStr = Bump::NAME;

    fn accepts(node: &Node) -> Result<(), Refusal> {
        match node.input_dims(1) {
            Some([] | [1]) => Ok(()),
            _ => Err(Refusal::unimplemented("'gamma' is not one number")),
        }
    }

    fn plan(_: &Node, _: &mut Plan) -> Result<Self, Refusal> {
        Ok(Self)
    }

    fn run(&self, launch: &mut Launch) -> Result<(), Refusal> {
        let (x, gamma) = (launch.input::<f32>(0)?, launch.input::<f32>(1)?[0]);
        let y = launch.output::<f32>(0)?;
        launch.parallel_chunks(y, PIECE, |from, chunk| {
            for (y, x) in chunk.iter_mut().zip(&x[from..]) {
                *y = (-gamma * x * x).exp();
            }
        });
        Ok(())
    }
}

plugin! { name: c"bump", version: c"1.0", domain: c"sample", ops: [Bump], kernels: [BumpOnCpu] }
