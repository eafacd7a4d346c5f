//! A plug-in whose ops panic, each somewhere else: what a host has to live through.
use std::ffi::CStr;

use percale_plugin::{dtype, plugin, Gradient, Kernel, Launch, Node, Op, Plan, Port, Refusal, Shape};

const INPUTS: &[Port] = &[Port::new(c"x", 'T', &[dtype::F32])];
const OUTPUTS: &[Port] = &[Port::new(c"y", 'T', &[])];

struct InShape;

impl Op for InShape {
    const NAME: &'static CStr = c"InShape";
    const DOC: &'static CStr = c"Panics in its shape function.";
    const INPUTS: &'static [Port] = INPUTS;
    const OUTPUTS: &'static [Port] = OUTPUTS;

    fn shape(context: &mut Shape) -> Result<(), Refusal> {
        panic!("{} dims are too many", context.input_dims(0).map_or(0, <[i64]>::len))
    }
}

macro_rules! op_that_panics_later {
    ($type:ident $name:literal) => {
        struct $type;

        impl Op for $type {
            const NAME: &'static CStr = $name;
            const DOC: &'static CStr = c"Panics in its gradient and in its kernel.";
            const INPUTS: &'static [Port] = INPUTS;
            const OUTPUTS: &'static [Port] = OUTPUTS;
            const HAS_GRADIENT: bool = true;

            fn shape(context: &mut Shape) -> Result<(), Refusal> {
                context.set_output_like_input(0, 0)
            }

            fn gradient(_: &mut Gradient) -> Result<(), Refusal> {
                panic!("no slope")
            }
        }
    };
}
op_that_panics_later!(InPlan c"InPlan");
op_that_panics_later!(InRun c"InRun");

struct PlanPanics;

impl Kernel for PlanPanics {
    const NAME: &'static CStr = c"panics.plan";
    const DOMAIN: &'static CStr = c"panics";
    const OP: &'static CStr = InPlan::NAME;

    fn plan(_: &Node, _: &mut Plan) -> Result<Self, Refusal> {
        panic!("no plan")
    }

    fn run(&self, _: &mut Launch) -> Result<(), Refusal> {
        Ok(())
    }
}

struct RunPanics;

impl Kernel for RunPanics {
    const NAME: &'static CStr = c"panics.run";
    const DOMAIN: &'static CStr = c"panics";
    const OP: &'static CStr = InRun::NAME;

    fn plan(_: &Node, _: &mut Plan) -> Result<Self, Refusal> {
        Ok(Self)
    }

    /// On the engine's threads, for a negative element.
    fn run(&self, launch: &mut Launch) -> Result<(), Refusal> {
        let (x, y) = (launch.input::<f32>(0)?, launch.output::<f32>(0)?);
        launch.parallel_chunks(y, 1024, |from, chunk| {
            for (y, x) in chunk.iter_mut().zip(&x[from..]) {
                assert!(*x >= 0.0, "a negative element");
                *y = 2.0 * x;
            }
        });
        Ok(())
    }
}

plugin! { name: c"panics", version: c"1.0", domain: c"panics", ops: [InShape, InPlan, InRun], kernels: [PlanPanics, RunPanics] }
