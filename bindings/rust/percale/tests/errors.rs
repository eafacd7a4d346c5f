//! Every failure is a Rust error with the library's message, and the process survives.
mod common;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use common::{engine, line_data, long_run, product, session, LINE};
use percale::{Builder, CancelToken, Code, DType, Dataset, Engine, Graph, Layer, Row, RowResult, Sequential, Session};
use percale::{Tensor, Trainer};

#[test]
fn a_wrong_word_of_a_layer_is_named_with_a_similar_one() {
    let wrong = Layer::new("Dense").set("units", 1).set("activaton", "relu");
    let model = Sequential::new(&[2]).layer(wrong).optimizer("sgd").loss("mean_squared_error");
    let error = model.trainer(&engine()).build().unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let words = "Dense 'dense': no attribute 'activaton', did you mean 'activation'";
    assert!(error.message().contains(words), "{error}");
}

#[test]
fn a_wrong_shape_is_named_together_with_the_wanted_one() {
    let engine = engine();
    let session = session(&engine);
    let bad = Tensor::from_vec(&[1, 3], vec![0f32; 3]).unwrap();
    let error = session.run(&[("x", &bad)], &["y"]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("[1,3]") && error.message().contains('4'), "{error}");
    let good = Tensor::from_vec(&[1, 4], vec![1f32; 4]).unwrap();
    assert_eq!(session.run(&[("x", &good)], &["y"]).unwrap()[0].as_slice::<f32>().unwrap(), [4.0, 4.0]);
}

#[test]
fn a_wrong_dtype_is_named_together_with_the_wanted_one() {
    let engine = engine();
    let bad = Tensor::from_vec(&[1, 4], vec![0i64; 4]).unwrap();
    let error = session(&engine).run(&[("x", &bad)], &["y"]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("i64") && error.message().contains("f32"), "{error}");
    assert!(bad.as_slice::<f32>().is_err());
}

#[test]
fn an_unknown_op_is_named_and_the_builder_goes_on() {
    let engine = engine();
    let mut builder = Builder::new(&engine).unwrap();
    let x = builder.input("x", DType::F32, &[1]).unwrap();
    let error = builder.op("Relo").input(x).finish().unwrap_err();
    assert!(matches!(error.code(), Code::InvalidArgument | Code::NotFound | Code::Unimplemented), "{error}");
    assert!(error.message().contains("Relo"), "{error}");
    builder.op("Relu").input(x).finish().unwrap();
}

#[test]
fn a_missing_file_is_named() {
    let error = Graph::load_file(&engine(), "/no/such/file.percale").unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    assert!(error.message().contains("/no/such/file.percale"), "{error}");
    let error = engine().check_file("/no/such/weights.safetensors").unwrap_err();
    assert!(error.message().contains("/no/such/weights.safetensors"), "{error}");
}

#[test]
fn an_unknown_option_names_the_nearest() {
    let error = Engine::builder().option("thread", 1).build().unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    assert!(error.message().contains("threads"), "{error}");
    let error = Engine::builder().option("threads", true).build().unwrap_err();
    assert!(error.message().contains("'true' is no integer"), "{error}");
    assert!(Engine::builder().option("map_files", false).build().is_ok());
}

#[test]
fn a_cancelled_token_ends_a_run_and_leaves_the_session_usable() {
    let engine = engine();
    let session = Session::new(&engine, &long_run(&engine).unwrap()).unwrap();
    let x = Tensor::from_vec(&[400, 400], vec![0.01f32; 160_000]).unwrap();
    let token = CancelToken::new();
    let other = token.clone();
    let began = Instant::now();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.cancel();
    });
    let error = session.request().feed("x", &x).fetch("y").cancel_token(&token).run().unwrap_err();
    canceller.join().unwrap();
    assert_eq!(error.code(), Code::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(5));
    let small = Tensor::from_vec(&[1, 1], vec![0f32]).unwrap();
    assert_eq!(session.run(&[("x", &small)], &["y"]).unwrap()[0].item::<f32>().unwrap(), 0.0);
}

#[test]
fn time_that_runs_out_ends_a_run() {
    let engine = engine();
    let session = Session::new(&engine, &long_run(&engine).unwrap()).unwrap();
    let x = Tensor::from_vec(&[400, 400], vec![0.01f32; 160_000]).unwrap();
    let timeout = Duration::from_millis(50);
    let error = session.request().feed("x", &x).fetch("y").timeout(timeout).run().unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded);
}

#[test]
fn no_time_is_over_and_the_longest_is_not() {
    let engine = engine();
    let session = session(&engine);
    let x = Tensor::from_vec(&[1, 4], vec![1f32; 4]).unwrap();
    let mut call = session.prepare(&[("x", DType::F32, &[1, 4])], &["y"]).unwrap();
    let mut outputs = call.new_outputs().unwrap();
    for (time, over) in [(Duration::ZERO, true), (Duration::MAX, false)] {
        let code = |result: Option<percale::Error>| {
            assert_eq!(result.map(|e| e.code()), over.then_some(Code::DeadlineExceeded))
        };
        code(session.request().feed("x", &x).fetch("y").timeout(time).run().err());
        code(session.async_request().feed("x", &x).fetch("y").timeout(time).start().unwrap().wait().err());
        code(call.run_until(&[&x], &mut [&mut outputs[0]], Some(time), None).err());
    }
    let event = session.async_request().feed("x", &x).fetch("y").start().unwrap();
    event.wait_timeout(Duration::MAX).unwrap();
}

#[test]
fn a_prepared_call_ends_with_its_time_or_its_token() {
    let engine = engine();
    let session = Session::new(&engine, &long_run(&engine).unwrap()).unwrap();
    let x = Tensor::from_vec(&[400, 400], vec![0.01f32; 160_000]).unwrap();
    let mut call = session.prepare(&[("x", DType::F32, &[400, 400])], &["y"]).unwrap();
    let mut outputs = call.new_outputs().unwrap();
    let time = Some(Duration::from_millis(50));
    let error = call.run_until(&[&x], &mut [&mut outputs[0]], time, None).unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded);
    let token = CancelToken::new();
    let other = token.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.cancel();
    });
    let error = call.run_until(&[&x], &mut [&mut outputs[0]], None, Some(&token)).unwrap_err();
    canceller.join().unwrap();
    assert_eq!(error.code(), Code::Cancelled);
    let error = call.run_until(&[&x], &mut [&mut outputs[0]], None, Some(&token)).unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
}

#[test]
fn an_exceeded_memory_limit_is_an_error_and_smaller_runs_go_on() {
    let engine = engine();
    let graph = product(&engine);
    let session = Session::builder(&engine, &graph).memory_limit(1 << 16).build().unwrap();
    let large = Tensor::from_vec(&[100_000, 4], vec![1f32; 400_000]).unwrap();
    let error = session.run(&[("x", &large)], &["y"]).unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted);
    let small = Tensor::from_vec(&[1, 4], vec![1f32; 4]).unwrap();
    session.run(&[("x", &small)], &["y"]).unwrap();
}

#[test]
fn texts_with_nul_and_counts_that_do_not_fit_are_errors() {
    let engine = engine();
    let session = session(&engine);
    let x = Tensor::from_vec(&[1, 4], vec![1f32; 4]).unwrap();
    assert_eq!(session.run(&[("x\0", &x)], &["y"]).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(Tensor::from_vec(&[3, 3], vec![1f32; 8]).unwrap_err().code(), Code::InvalidArgument);
    let mut call = session.prepare(&[("x", DType::F32, &[1, 4])], &["y"]).unwrap();
    assert_eq!(call.run(&[], &mut []).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn a_step_gives_what_it_computed_or_says_that_it_did_not() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let x = Tensor::from_vec(&[2, 2], vec![1f32, 2.0, 3.0, 4.0]).unwrap();
    let y = Tensor::from_vec(&[2, 1], vec![0f32; 2]).unwrap();
    let output = trainer.model().unwrap().output_names()[0].clone();
    let (loss, values) = trainer.step_fetch(&[("x", &x), ("y", &y)], &[&output]).unwrap();
    let squares: f64 = values[0].as_slice::<f32>().unwrap().iter().map(|s| f64::from(s * s)).sum();
    assert!((loss - squares / 2.0).abs() < 1e-5 * loss.abs(), "{loss} {squares}");
    assert_eq!(trainer.step_fetch(&[("x", &x), ("y", &y)], &["nothing"]).unwrap_err().code(), Code::NotFound);
    assert_eq!(trainer.steps(), 1);
}

#[test]
fn a_callback_that_breaks_ends_the_training_after_its_step() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let mut data = line_data(&engine);
    trainer
        .fit_with(
            Some(&mut data),
            5,
            |p| if p.step() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) },
        )
        .unwrap();
    assert_eq!(trainer.steps(), 3);
}

#[test]
fn a_panic_in_a_callback_goes_on_behind_the_library() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let mut data = line_data(&engine);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        trainer.fit_with(Some(&mut data), 5, |_| panic!("the callback's own words"))
    }));
    let words = caught.unwrap_err();
    assert_eq!(words.downcast_ref::<&str>(), Some(&"the callback's own words"));
    trainer.fit(Some(&mut data), 5).unwrap();
    assert_eq!(trainer.steps(), 20);
}

#[derive(Debug, PartialEq)]
struct NoMoreRows(i64);

impl std::fmt::Display for NoMoreRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no row {}", self.0)
    }
}

impl std::error::Error for NoMoreRows {}

type MakeRow = fn(i64, &mut Row<'_>) -> RowResult;

/// Four rows for [`LINE`]; `fail` fails for the third.
fn rows_that_fail(engine: &Engine, fail: MakeRow) -> Dataset {
    let columns: [(&str, DType, &[usize]); 2] = [("x", DType::F32, &[2]), ("y", DType::F32, &[1])];
    Dataset::generator(engine, &columns, 4, move |number, row| if number == 2 { fail(number, row) } else { Ok(()) })
        .unwrap()
}

#[test]
fn an_error_or_a_panic_of_a_row_is_the_source_of_the_error() {
    let engine = engine();
    let fails: [(&str, MakeRow); 5] = [
        ("no row 2", |number, _| Err(NoMoreRows(number).into())),
        ("text alone", |_, _| Err("text alone".into())),
        ("column 0 has elements of F32", |_, row| Ok(row.column::<i64>(0).map(|_| ())?)),
        ("panic: the row's own words", |_, _| panic!("the row's own words")),
        ("panic: row 2", |number, _| panic!("row {number}")),
    ];
    for (says, fail) in fails {
        let told = |error: percale::Error| {
            assert_eq!(error.code(), Code::Aborted, "{error}");
            assert!(error.message().contains("did not return row 2"), "{error}");
            let source = std::error::Error::source(&error).expect("a source");
            assert!(source.to_string().contains(says), "{source}");
            assert!(format!("{error:?}").contains(says), "{error:?}");
            assert_eq!(source.is::<NoMoreRows>(), says == "no row 2");
        };
        let set = rows_that_fail(&engine, fail);
        let mut twice = Dataset::concatenate(&[&set.repeat(2).unwrap(), &set]).unwrap();
        twice.configure(4, None, false).unwrap();
        told(twice.next_batch().unwrap_err());
        told(twice.epoch().next().unwrap().unwrap_err());
        told(twice.distribute(1).unwrap()[0].next_batch().unwrap_err());
        let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
        told(trainer.fit(Some(&mut twice), 1).unwrap_err());
        told(trainer.evaluate(Some(&mut twice)).unwrap_err());
        let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
        trainer.set_validation(Some(&twice)).unwrap();
        told(trainer.fit(Some(&mut line_data(&engine)), 1).unwrap_err());
    }
}

#[test]
fn a_token_that_is_cancelled_in_a_callback_ends_the_training() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let token = CancelToken::new();
    trainer.set_cancel_token(Some(token.clone()));
    let mut data = line_data(&engine);
    let ended = trainer.fit_with(Some(&mut data), 5, |_| {
        token.cancel();
        ControlFlow::Continue(())
    });
    assert_eq!(ended.unwrap_err().code(), Code::Cancelled);
    assert_eq!(trainer.steps(), 1);
    assert_eq!(trainer.evaluate(Some(&mut data)).err().unwrap().code(), Code::Cancelled);
    trainer.set_cancel_token(None);
    trainer.fit(Some(&mut data), 5).unwrap();
}

#[test]
fn labels_that_are_missing_are_named() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let mut unlabelled = Dataset::range(&engine, "x", 0, 100, 1).unwrap();
    let error = trainer.fit(Some(&mut unlabelled), 1).unwrap_err();
    assert!(error.message().contains("'y'"), "{error}");
}

#[test]
fn no_status_is_left_behind() {
    // Other tests of this program run at the same time, so only a leak by every error would show.
    let before = percale::live_statuses().unwrap();
    for _ in 0..1000 {
        assert!(Graph::load_file(&engine(), "/no/such/file").is_err());
    }
    assert!(percale::live_statuses().unwrap() < before + 100);
}
