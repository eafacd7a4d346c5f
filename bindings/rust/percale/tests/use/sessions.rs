//! Graphs and their runs.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use percale::*;

use crate::common::{engine, session};

#[test]
fn a_builder_makes_functions_gradients_and_types() {
    let engine = engine();
    let mut builder = Builder::new(&engine).unwrap();
    let x = builder.input("x", DType::F32, &[-1]).unwrap();
    let halves = builder.op("Split").input(x).set("num_outputs", 2).finish_many::<2>();
    let y = builder.op("Mul").inputs([x, x]).finish().unwrap();
    let gradients = builder.gradients(&[y], &[x]).unwrap();
    let condition = builder.constant(&Tensor::scalar(true).unwrap()).unwrap();
    for (name, value) in [("then", 1f32), ("else", 2.0)] {
        builder.function(name, |b| Ok(vec![b.constant(&Tensor::from_vec(&[1], vec![value])?)?])).unwrap();
    }
    let chosen = builder
        .op("If")
        .input(condition)
        .function("then_branch", "then")
        .function("else_branch", "else")
        .finish()
        .unwrap();
    builder.rename(gradients[0], "dx").unwrap();
    builder.rename(chosen, "chosen").unwrap();
    assert_eq!(builder.value_type(y).unwrap(), ValueType { dtype: Some(DType::F32), dims: Some(vec![-1]) });
    assert!(halves.is_ok());
    builder.set_outputs(&[gradients[0], chosen]).unwrap();
    let session = Session::new(&engine, &builder.finish().unwrap()).unwrap();
    let x = Tensor::from_vec(&[2], vec![3f32, 4.0]).unwrap();
    let results = session.run(&[("x", &x)], &["dx", "chosen"]).unwrap();
    assert_eq!(results[0].as_slice::<f32>().unwrap(), [6.0, 8.0]);
    assert_eq!(results[1].as_slice::<f32>().unwrap(), [1.0]);
}

#[test]
fn a_function_per_op_takes_inputs_and_attributes() {
    let engine = engine();
    let mut b = Builder::new(&engine).unwrap();
    let x = b.input("x", DType::F32, &[-1, 2]).unwrap();
    let low = b.constant(&Tensor::scalar(0f32).unwrap()).unwrap();
    let minus = ops::neg(&mut b, x).finish().unwrap();
    let both = ops::concat(&mut b, &[x, minus]).axis(1).finish().unwrap();
    let clipped = ops::clip(&mut b, both, Some(low), None).finish().unwrap();
    let sum = ops::reduce_sum(&mut b, clipped, None).keepdims(0).name("sum").finish().unwrap();
    b.set_outputs(&[sum]).unwrap();
    let session = Session::new(&engine, &b.finish().unwrap()).unwrap();
    let x = Tensor::from_vec(&[2, 2], vec![3f32, -4.0, 5.0, 6.0]).unwrap();
    assert_eq!(session.run(&[("x", &x)], &["sum"]).unwrap()[0].item::<f32>().unwrap(), 18.0);
}

#[test]
fn a_run_tells_which_version_of_the_variables_it_read() {
    let engine = engine();
    let mut builder = Builder::new(&engine).unwrap();
    let x = builder.input("x", DType::F32, &[2]).unwrap();
    let w = builder.variable("w", &Tensor::from_vec(&[2], vec![1f32, 1.0]).unwrap()).unwrap();
    let y = builder.op("Mul").name("y").inputs([x, w]).finish().unwrap();
    builder.set_outputs(&[y]).unwrap();
    let graph = builder.finish().unwrap();
    let variables = Variables::new(&engine, &graph, 0).unwrap();
    let session = Session::builder(&engine, &graph).variables(&variables).build().unwrap();
    let x = Tensor::from_vec(&[2], vec![3f32, 4.0]).unwrap();
    let token = CancelToken::new();
    for (newest, with_token) in [(2, false), (3, true)] {
        variables.assign("w", &Tensor::from_vec(&[2], vec![newest as f32; 2]).unwrap()).unwrap();
        let mut request = session.request().feed("x", &x).fetch("y");
        if with_token {
            request = request.cancel_token(&token);
        }
        let (results, version) = request.run_versioned().unwrap();
        assert_eq!((version, version), (newest, variables.version()));
        assert_eq!(results[0].as_slice::<f32>().unwrap(), [3.0 * newest as f32, 4.0 * newest as f32]);
    }
}

#[test]
fn a_session_and_a_tensor_are_dropped_while_threads_use_their_clones() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for _ in 0..20 {
        let (session, x) = (session(&engine), Tensor::from_vec(&[1, 4], vec![1f32; 4]).unwrap());
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let (session, x) = (session.clone(), x.clone());
                scope.spawn(move || (0..50).for_each(|_| drop(session.run(&[("x", &*x)], &["y"]).unwrap())));
            }
            drop((session, x));
        });
    }
}

#[test]
fn a_prepared_call_hands_on_what_a_run_gives() {
    let engine = engine();
    let mut b = Builder::new(&engine).unwrap();
    let x = b.input("x", DType::F32, &[2]).unwrap();
    let s = b.input("s", DType::F32, &[2]).unwrap();
    let y = b.op("Add").name("y").inputs([x, s]).finish().unwrap();
    b.set_outputs(&[y]).unwrap();
    let session = Session::new(&engine, &b.finish().unwrap()).unwrap();
    let mut call = session.prepare(&[("x", DType::F32, &[2]), ("s", DType::F32, &[2])], &["y"]).unwrap();
    call.carry(0, 1).unwrap();
    assert_eq!(call.carry(1, 1).unwrap_err().code(), Code::OutOfRange);
    let x = Tensor::from_vec(&[2], vec![1f32, 2.0]).unwrap();
    let start = Tensor::from_vec(&[2], vec![10f32, 20.0]).unwrap();
    let mut outputs = call.new_outputs().unwrap();
    call.run_carried(&[Some(&x), Some(&start)], &mut [None]).unwrap();
    call.run_carried(&[Some(&x), None], &mut [None]).unwrap();
    call.run_carried(&[Some(&x), None], &mut [Some(&mut outputs[0])]).unwrap();
    assert_eq!(outputs.remove(0).freeze().as_slice::<f32>().unwrap(), [13.0, 26.0]);
}

#[test]
fn an_asynchronous_run_is_waited_for_called_back_and_awaited() {
    let engine = engine();
    let session = session(&engine);
    let x = Tensor::from_vec(&[1, 4], vec![2f32; 4]).unwrap();
    let event = session.async_request().feed("x", &x).fetch("y").start().unwrap();
    let called = Arc::new(AtomicUsize::new(0));
    let counter = called.clone();
    event
        .on_ready(move || {
            counter.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
    let panics = event.on_ready(|| panic!("within the border"));
    assert!(panics.is_ok());
    assert_eq!(event.wait_timeout(Duration::from_secs(60)).unwrap()[0].as_slice::<f32>().unwrap(), [8.0, 8.0]);
    while called.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    assert!(event.is_ready());
    let again = session.async_request().feed("x", &x).fetch("y").start().unwrap();
    assert_eq!(block_on(again).unwrap()[0].as_slice::<f32>().unwrap(), [8.0, 8.0]);
    let bad = session.async_request().feed("x", &x).fetch("no").start().unwrap();
    assert!(block_on(bad).unwrap_err().message().contains("no"));
}

/// A minimal executor that parks the thread.
fn block_on<F: std::future::Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        if let std::task::Poll::Ready(out) = future.as_mut().poll(&mut context) {
            return out;
        }
        std::thread::park();
    }
}

#[test]
fn threads_share_a_session() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let session = session(&engine);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let session = &session;
            scope.spawn(move || {
                let row = [number as f32; 4];
                for _ in 0..50 {
                    let x = TensorView::new(&[1, 4], &row).unwrap();
                    let y = session.request().feed("x", &x).fetch("y").run_one().unwrap();
                    assert_eq!(y.as_slice::<f32>().unwrap(), [4.0 * number as f32; 2]);
                }
            });
        }
    });
}
