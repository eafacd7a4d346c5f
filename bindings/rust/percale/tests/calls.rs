//! Prepared calls whose makers are dropped. The documentation of the crate shows that the compiler
//! rejects dropping a call while another thread runs it.
mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use common::{engine, long_run};
use percale::*;

const SIZE: usize = 32;

#[test]
fn what_a_call_was_made_from_is_dropped_while_another_thread_runs_the_call() {
    let x = Tensor::from_vec(&[SIZE, SIZE], vec![0f32; SIZE * SIZE]).unwrap();
    for _ in 0..5 {
        let engine = engine();
        let graph = long_run(&engine).unwrap();
        let session = Session::new(&engine, &graph).unwrap();
        let mut call = session.prepare(&[("x", DType::F32, &[SIZE, SIZE])], &["y"]).unwrap();
        let (runs, released) = (AtomicUsize::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let (runs, released, x) = (&runs, &released, &x);
            scope.spawn(move || {
                let mut outputs = call.new_outputs().unwrap();
                // Runs at least once after the release.
                for last in std::iter::repeat_with(|| released.load(Ordering::SeqCst)) {
                    outputs[0].as_mut_slice::<f32>().unwrap().fill(7.0);
                    call.run(&[x], &mut [&mut outputs[0]]).unwrap();
                    runs.fetch_add(1, Ordering::SeqCst);
                    if last {
                        break;
                    }
                }
                assert_eq!(outputs[0].as_slice::<f32>().unwrap(), vec![0f32; SIZE * SIZE]);
            });
            // The first run is over, so a run is in progress almost all the time.
            while runs.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            drop((session, graph, engine));
            released.store(true, Ordering::SeqCst);
        });
        assert!(runs.load(Ordering::SeqCst) > 1);
    }
}
