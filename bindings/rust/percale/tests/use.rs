//! Typical uses of the crate.
mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use common::{engine, line_data, product, session, LINE};
use percale::*;

#[test]
fn the_library_says_its_version() {
    assert!(version().unwrap().starts_with("0."));
    assert!(abi_version().unwrap() >= 1);
    assert!(describe_options().unwrap().contains("\"memory_limit\""));
}

#[test]
fn types_are_send_and_sync_as_the_header_says() {
    fn thread_safe<T: Send + Sync>() {}
    fn thread_compatible<T: Send>() {}
    thread_safe::<Engine>();
    thread_safe::<Tensor>();
    thread_safe::<Graph>();
    thread_safe::<Variables>();
    thread_safe::<Session>();
    thread_safe::<Event>();
    thread_safe::<Trace>();
    thread_safe::<CancelToken>();
    thread_safe::<Canceller>();
    thread_compatible::<Builder>();
    thread_compatible::<Call>();
    thread_compatible::<Dataset>();
    thread_compatible::<Trainer>();
    thread_compatible::<Cluster>();
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
fn a_model_that_is_compiled_again_keeps_its_weights() {
    let engine = engine();
    let mut data = line_data(&engine);
    let model = Sequential::new(&[2]).layer(Layer::new("Dense").set("units", 1));
    let mut first = model.clone().optimizer("adam").loss("mean_squared_error").trainer(&engine).build().unwrap();
    first.fit(Some(&mut data), 3).unwrap();
    let before = first.variables().unwrap();
    let warm_up = SpecValue::object([("name", "warm_up".into()), ("steps", 4.into())]);
    let mut second = model
        .layer(Layer::new("Dense").set("units", 1))
        .optimizer(SpecValue::object([("name", "sgd".into()), ("learning_rate", 0.125.into())]))
        .loss(r#"{"name": "huber", "delta": 2}"#)
        .schedule(vec![warm_up, "cosine".into()])
        .metric("mae")
        .metric(SpecValue::object([("metric", "mae".into()), ("name", "mine".into())]))
        .set("epochs", 9)
        .trainer(&engine)
        .weights_of(&mut first)
        .build()
        .unwrap();
    let after = second.variables().unwrap();
    assert_eq!((before.len(), after.len()), (2, 4)); // including those of the added layer
    for name in before.names() {
        assert_eq!(before.value(&name).unwrap().as_bytes(), after.value(&name).unwrap().as_bytes());
    }
    let evaluation = second.evaluate(Some(&mut data)).unwrap();
    assert!(evaluation.get("mae").is_some() && evaluation.get("mine").is_some(), "{}", evaluation.json());
    let mut rates = Vec::new();
    let mut digests = Vec::new();
    let told = |progress: &Progress<'_>| {
        rates.push(progress.learning_rate());
        progress.publish().unwrap();
        digests.push(after.digest().unwrap());
        std::ops::ControlFlow::Continue(())
    };
    second.fit_with(Some(&mut data), 1, told).unwrap();
    digests.dedup();
    assert_eq!(digests.len(), rates.len(), "the callback publishes each step");
    assert!(rates[0] < rates[1] && rates[1] < 0.125, "{rates:?}");
}

#[test]
fn a_loss_that_is_not_finite_is_evaluated_as_nan() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let x = Tensor::from_vec(&[1, 2], vec![f32::NAN, 0.0]).unwrap();
    let y = Tensor::from_vec(&[1, 1], vec![0f32]).unwrap();
    let mut data = Dataset::from_tensors(&engine, &[("x", &x), ("y", &y)]).unwrap();
    let evaluation = trainer.evaluate(Some(&mut data)).unwrap();
    assert!(evaluation.get("loss").is_some_and(f64::is_nan), "{}", evaluation.json());
    assert_eq!(evaluation.get("los"), None);
}

#[test]
fn several_schedules_are_a_list_or_a_json_array() {
    let dense = || Sequential::new(&[2]).layer(Layer::new("Dense").set("units", 1));
    let (warm_up, cosine) = (r#"{"name": "warm_up", "steps": 4}"#, SpecValue::from("cosine"));
    let of_values = dense().schedule(vec![warm_up.into(), cosine]).spec();
    let of_text = dense().schedule(format!("[{warm_up}, \"cosine\"]")).spec();
    assert!(of_text.contains(r#""schedule": [{"name": "warm_up", "steps": 4}, "cosine"]"#), "{of_text}");
    assert_eq!(of_values, of_text);
}

#[test]
fn a_trainer_predicts_in_batches_also_before_its_first_fit() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let x = Tensor::from_vec(&[5, 2], (0..10).map(|i| i as f32).collect()).unwrap();
    let (whole, parts) = (trainer.predict(&x, 5).unwrap(), trainer.predict(&x, 2).unwrap());
    assert_eq!(parts.dims(), [5, 1]);
    assert_eq!(whole.as_bytes(), parts.as_bytes());
}

#[test]
fn a_model_of_a_file_is_compiled_without_a_head() {
    let engine = engine();
    let file = std::env::temp_dir().join(format!("percale-rust-{}.percale", std::process::id()));
    let trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let trained = trainer.variables().unwrap();
    trainer.model().unwrap().save_file(Some(&trained), &file).unwrap();
    let loaded = Sequential::from_file(&file).optimizer("sgd").loss("mean_squared_error");
    let mut again = loaded.trainer(&engine).build().unwrap();
    assert_eq!(again.variables().unwrap().digest().unwrap(), trained.digest().unwrap());
    again.fit(Some(&mut line_data(&engine)), 1).unwrap();
    std::fs::remove_file(file).unwrap();
}

#[test]
fn the_learning_rate_is_set_between_steps() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    trainer.set_learning_rate(0.5).unwrap();
    let mut rates = Vec::new();
    let told = |progress: &Progress<'_>| {
        rates.push(progress.learning_rate());
        progress.set_learning_rate(progress.learning_rate() / 2.0).unwrap();
        std::ops::ControlFlow::Continue(())
    };
    trainer.fit_with(Some(&mut line_data(&engine)), 1, told).unwrap();
    assert_eq!(rates, [0.5, 0.25, 0.125, 0.0625]);
    assert!(trainer.set_learning_rate(-1.0).unwrap_err().message().contains("the learning rate is -1"));
}

#[test]
fn a_folder_is_locked_for_one_run() {
    let engine = engine();
    let folder = std::env::temp_dir().join(format!("percale-rust-lock-{}", std::process::id()));
    let mut first = Trainer::from_spec(&engine, LINE).build().unwrap();
    let mut second = Trainer::from_spec(&engine, LINE).build().unwrap();
    first.lock_folder(&folder, false).unwrap();
    first.save(&folder).unwrap();
    assert_eq!(second.lock_folder(&folder, false).unwrap_err().code(), Code::Unavailable);
    drop(first);
    assert_eq!(second.lock_folder(&folder, false).unwrap_err().code(), Code::AlreadyExists);
    second.lock_folder(&folder, true).unwrap();
    // the checkpoint of the first trainer was removed
    assert_eq!(second.restore(&folder).unwrap_err().code(), Code::NotFound);
    drop(second);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_embedding_takes_ids_of_i64_and_of_i32() {
    let engine = engine();
    let model = Sequential::new(&[2])
        .layer(Layer::new("Embedding").set("input_dim", 5).set("output_dim", 3))
        .layer(Layer::new("Flatten"))
        .layer(Layer::new("Dense").set("units", 2).set("activation", "softmax"))
        .optimizer("sgd")
        .loss("sparse_categorical_crossentropy");
    let longs = Tensor::from_vec(&[3, 2], vec![0i64, 1, 2, 3, 4, 0]).unwrap();
    let ints = Tensor::from_vec(&[3, 2], vec![0i32, 1, 2, 3, 4, 0]).unwrap();
    let y = Tensor::from_vec(&[3], vec![0i64, 1, 0]).unwrap();
    let digests = [&longs, &ints].map(|x| {
        let mut trainer = model.trainer(&engine).build().unwrap();
        let mut data = Dataset::from_tensors(&engine, &[("x", x), ("y", &y)]).unwrap();
        trainer.fit(Some(&mut data), 2).unwrap();
        assert_eq!(trainer.predict(&longs, 2).unwrap().dims(), [3, 2]);
        trainer.variables().unwrap().digest().unwrap()
    });
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn a_vector_becomes_a_tensor_without_a_copy_and_is_dropped_with_it() {
    let elements = vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let address = elements.as_ptr();
    let tensor = Tensor::from_vec(&[2, 3], elements).unwrap();
    let clone = tensor.clone();
    drop(tensor);
    assert_eq!(clone.as_slice::<f32>().unwrap().as_ptr(), address);
    assert_eq!((clone.dims(), clone.dtype(), clone.len()), (&[2, 3][..], DType::F32, 6));
    assert_eq!(Tensor::from_vec(&[0, 3], Vec::<f32>::new()).unwrap().as_slice::<f32>().unwrap(), []);
    assert_eq!(Tensor::scalar(7i64).unwrap().item::<i64>().unwrap(), 7);
    assert_eq!(Tensor::from_slice(&[2], &[true, false]).unwrap().as_slice::<bool>().unwrap(), [true, false]);
}

#[test]
fn everything_may_be_dropped_in_any_order() {
    let engine = engine();
    let graph = product(&engine);
    let session = Session::new(&engine, &graph).unwrap();
    let mut call = session.prepare(&[("x", DType::F32, &[1, 4])], &["y"]).unwrap();
    drop((engine, graph, session));
    let mut outputs = call.new_outputs().unwrap();
    let row = [1f32; 4];
    call.run(&[&TensorView::new(&[1, 4], &row).unwrap()], &mut [&mut outputs[0]]).unwrap();
    drop(call);
    assert_eq!(outputs.remove(0).freeze().as_slice::<f32>().unwrap(), [4.0, 4.0]);
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
fn what_is_trained_is_saved_loaded_and_the_same_bits() {
    let engine = engine();
    let folder = std::env::temp_dir().join(format!("percale-rust-{}", std::process::id()));
    let mut first = Trainer::from_spec(&engine, LINE).build().unwrap();
    let mut data = line_data(&engine);
    let mut losses = Vec::new();
    first
        .fit_with(Some(&mut data), 5, |p| {
            losses.push(p.loss());
            if p.epoch_ended() {
                p.save(&folder).unwrap();
                assert!(p.metrics().iter().all(|(name, value)| !name.is_empty() && value.is_finite()));
            }
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((losses.len(), first.steps()), (20, 20));
    let mut second = Trainer::from_spec(&engine, LINE).build().unwrap();
    second.restore(&folder).unwrap();
    assert_eq!(first.variables().unwrap().digest().unwrap(), second.variables().unwrap().digest().unwrap());
    let evaluation = second.evaluate(Some(&mut data)).unwrap();
    assert!(evaluation.loss().is_finite() && evaluation.get("none").is_none(), "{}", evaluation.json());
    let history = String::from_utf8(first.history(HistoryFormat::Csv).unwrap()).unwrap();
    assert_eq!(history.lines().count(), 21);

    let path = folder.join("model.percale");
    let variables = first.variables().unwrap();
    first.model().unwrap().save_file(Some(&variables), &path).unwrap();
    let loaded = Graph::load_file(&engine, &path).unwrap();
    let own = Variables::new(&engine, &loaded, 0).unwrap();
    assert_eq!(own.digest().unwrap(), variables.digest().unwrap());
    assert_eq!((own.names(), own.len()), (vec!["dense/bias".to_owned(), "dense/kernel".to_owned()], 2));
    let bytes = loaded.serialize(None).unwrap();
    assert_eq!(Graph::load(&engine, &bytes).unwrap().input_names(), loaded.input_names());
    own.assign("dense/bias", &Tensor::from_vec(&[1], vec![7f32]).unwrap()).unwrap();
    assert_eq!(own.value("dense/bias").unwrap().item::<f32>().unwrap(), 7.0);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn epochs_of_fit_count_all_so_far() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let mut data = line_data(&engine);
    for (epochs, steps) in [(1, 4), (1, 4), (2, 8)] {
        trainer.fit(Some(&mut data), epochs).unwrap();
        assert_eq!(trainer.steps(), steps);
    }
}

#[test]
fn what_validates_is_evaluated_too() {
    let engine = engine();
    let mut trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let (mut data, mut validation) = (line_data(&engine), line_data(&engine));
    trainer.set_validation(Some(&validation)).unwrap();
    trainer
        .fit_with(Some(&mut data), 1, |_| {
            // Two at a time would be a race.
            assert_eq!(validation.next_batch().unwrap_err().code(), Code::FailedPrecondition);
            assert_eq!(validation.repeat(2).unwrap_err().code(), Code::FailedPrecondition);
            assert_eq!(validation.rows(), 16);
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    let evaluation = trainer.evaluate(Some(&mut validation)).unwrap();
    let history = String::from_utf8(trainer.history(HistoryFormat::Csv).unwrap()).unwrap();
    assert!(history.contains("val_loss") && evaluation.loss().is_finite(), "{history}");
    assert_eq!(validation.epoch().count(), 4);
    // The training data may also be the validation data, and former validation data is free again.
    trainer.set_validation(None).unwrap(); // it may change between two calls of fit
    let mut second = Trainer::from_spec(&engine, LINE).build().unwrap();
    second.set_validation(Some(&data)).unwrap();
    second.fit(Some(&mut data), 1).unwrap();
    drop(second);
    assert!(data.next_batch().unwrap().is_some());
    assert_eq!(Dataset::concatenate(&[&data, &data]).unwrap().rows(), 32);
}

#[test]
fn a_trainer_without_variables_draws_them() {
    let engine = engine();
    let mut builder = Builder::new(&engine).unwrap();
    let x = builder.input("x", DType::F32, &[-1, 2]).unwrap();
    let y = builder.layer("Dense").name("y").input(x).set("units", 1).finish().unwrap();
    let square = builder.op("Mul").inputs([y, y]).finish().unwrap();
    let loss = builder.op("ReduceMean").name("loss").input(square).set("keepdims", 0).finish().unwrap();
    builder.set_outputs(&[loss]).unwrap();
    let graph = builder.finish().unwrap();
    let drawn = |seed: i32| {
        let trainer = Trainer::builder(&engine, &graph, None).optimizer("sgd").option("seed", seed).build().unwrap();
        trainer.variables().unwrap().digest().unwrap()
    };
    assert_eq!(drawn(7), Variables::new(&engine, &graph, 7).unwrap().digest().unwrap());
    assert_ne!(drawn(7), drawn(8));
}

#[test]
fn an_optimizer_is_a_name_or_json() {
    let engine = engine();
    for optimizer in ["sgd", r#"{"name": "sgd", "learning_rate": 0.125}"#] {
        let model = Sequential::new(&[2]).layer(Layer::new("Dense").set("units", 1)).loss("mean_squared_error");
        let trainer = model.optimizer(optimizer).trainer(&engine).build().unwrap();
        assert_eq!(trainer.describe().unwrap().contains("0.125"), optimizer.contains("0.125"));
    }
}

#[test]
fn a_trainer_is_cancelled_from_another_thread_and_outlived() {
    let engine = engine();
    let trainer = Trainer::from_spec(&engine, LINE).build().unwrap();
    let canceller = trainer.canceller();
    std::thread::spawn(move || canceller.clone().cancel()).join().unwrap();
    let canceller = trainer.canceller();
    drop(trainer);
    canceller.cancel();
}

#[test]
fn data_sets_are_zipped_repeated_concatenated_mapped_and_distributed() {
    let engine = engine();
    let a = Dataset::range(&engine, "a", 0, 4, 1).unwrap();
    let b = Dataset::generator(&engine, &[("b", DType::F32, &[2])], 4, |number, row| {
        row.column::<f32>(0)?[1] = number as f32;
        assert!(row.column::<i64>(0).is_err());
        Ok(())
    })
    .unwrap();
    let zipped = Dataset::zip(&[&a, &b]).unwrap();
    drop((a, b));
    let types = zipped.column_types().unwrap();
    assert_eq!(
        (types[0].0.as_str(), types[0].1.dtype, types[0].1.dims.as_deref()),
        ("a", Some(DType::I64), Some(&[][..]))
    );
    assert_eq!(
        (types[1].0.as_str(), types[1].1.dtype, types[1].1.dims.as_deref()),
        ("b", Some(DType::F32), Some(&[2][..]))
    );
    assert_eq!(zipped.rename(&["x", "y"]).unwrap().names(), ["x", "y"]);
    let mut all = Dataset::concatenate(&[&zipped.repeat(2).unwrap(), &zipped]).unwrap();
    assert_eq!((all.rows(), all.names()), (12, &["a".to_owned(), "b".to_owned()][..]));
    all.configure(3, None, true).unwrap();
    let batches: Vec<_> = all.epoch().map(|batch| batch.unwrap()).collect();
    assert_eq!(batches.len(), 4);
    assert_eq!(batches[1].get("a").unwrap().as_slice::<i64>().unwrap(), [3, 0, 1]);
    let mut parts = all.distribute(3).unwrap();
    let first = parts[0].next_batch().unwrap().unwrap();
    assert_eq!(first.get("b").unwrap().dims(), [1, 2]);

    let mut builder = Builder::new(&engine).unwrap();
    let b = builder.input("b", DType::F32, &[-1, 2]).unwrap();
    let double = builder.op("Add").name("double").inputs([b, b]).finish().unwrap();
    builder.set_outputs(&[double]).unwrap();
    let graph = builder.finish().unwrap();
    let inputs = graph.input_types().unwrap();
    assert_eq!((inputs[0].0.as_str(), inputs[0].1.dims.as_deref()), ("b", Some(&[-1, 2][..])));
    assert_eq!(graph.output_types().unwrap()[0].1.dtype, Some(DType::F32));
    assert_eq!(graph.value_type("doubel").unwrap_err().code(), Code::NotFound);
    let mut mapped = zipped.map(&graph).unwrap();
    mapped.configure(4, None, false).unwrap();
    let batch = mapped.next_batch().unwrap().unwrap();
    assert_eq!(batch.get("double").unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0, 0.0, 2.0, 0.0, 4.0, 0.0, 6.0]);
}

#[test]
fn functions_are_dropped_when_the_library_can_call_them_no_more() {
    let token = std::sync::Arc::new(());
    let held = || std::sync::Arc::strong_count(&token) - 1;
    let (for_log, for_rows, refused) = (token.clone(), token.clone(), token.clone());
    let engine = Engine::builder().log(LogLevel::Info, move |_, _| drop(for_log.clone())).build().unwrap();
    let rows = Dataset::generator(&engine, &[("x", DType::F32, &[1])], 4, move |_, _| {
        drop(for_rows.clone());
        Ok(())
    })
    .unwrap();
    let none = Dataset::generator(&engine, &[("x", DType::F32, &[1])], 0, move |_, _| {
        drop(refused.clone());
        Ok(())
    });
    assert_eq!(none.err().unwrap().code(), Code::InvalidArgument);
    assert_eq!(held(), 2);
    let mut twice = rows.repeat(2).unwrap();
    drop(rows);
    assert!(twice.next_batch().unwrap().is_some());
    assert_eq!(held(), 2);
    drop(twice);
    assert_eq!(held(), 1);
    drop(engine);
    assert_eq!(held(), 0);
}

#[test]
fn logs_traces_and_clusters_are_within_reach() {
    let engine =
        Engine::builder().threads(1).log(LogLevel::Debug, |_, text| assert!(!text.is_empty())).build().unwrap();
    let trace = Trace::new(&engine).unwrap();
    let session = session(&engine);
    session.set_trace(Some(&trace));
    let x = Tensor::from_vec(&[1, 4], vec![1f32; 4]).unwrap();
    session.run(&[("x", &x)], &["y"]).unwrap();
    session.set_trace(None);
    assert!(trace.json().unwrap().contains("MatMul"));
    assert!(session.stats().unwrap().contains("planned_peak_bytes"));
    assert!(session.explain(&[("x", DType::F32, &[1, 4])], &["y"], PlanFacts::Plan).unwrap().contains("MatMul"));
    let drawing = session.draw(&[("x", DType::F32, &[1, 4])], &["y"], DrawingFormat::Svg, Some(&trace)).unwrap();
    assert!(drawing.contains("MatMul"));
    assert!(drawing.contains("in all"));
    assert!(engine.describe(EngineFacts::Info).unwrap().contains("cpu:0"));
    assert!(engine.memory_peak() >= engine.memory_used());
    let mut cluster = Cluster::new().unwrap();
    cluster.add_task("worker", 0, "host:1").unwrap();
    cluster.set_role("worker", 0).unwrap();
    assert_eq!((cluster.jobs(), cluster.task_count("worker")), (vec!["worker".to_owned()], 1));
    assert_eq!(cluster.address("worker", 0).as_deref(), Some("host:1"));
    assert_eq!(cluster.role(), ("worker".to_owned(), 0));
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays_become_tensors_and_back() {
    let array = ndarray::Array2::from_shape_vec((2, 3), vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let address = array.as_ptr();
    let tensor = Tensor::from_ndarray(array.clone()).unwrap();
    assert_eq!(tensor.as_ndarray::<f32>().unwrap(), array.view().into_dyn());
    assert_eq!(Tensor::from_ndarray(array).unwrap().as_slice::<f32>().unwrap().as_ptr(), address);
    let turned = ndarray::Array2::from_shape_vec((2, 2), vec![1i32, 2, 3, 4]).unwrap().reversed_axes();
    assert_eq!(Tensor::from_ndarray(turned).unwrap().as_slice::<i32>().unwrap(), [1, 3, 2, 4]);
}

#[cfg(feature = "half")]
#[test]
fn halves_are_elements() {
    let tensor = Tensor::from_vec(&[2], vec![half::f16::from_f32(0.5), half::f16::ONE]).unwrap();
    assert_eq!(tensor.dtype(), DType::F16);
    assert_eq!(tensor.as_slice::<half::f16>().unwrap()[1], half::f16::ONE);
    assert_eq!(Tensor::scalar(half::bf16::ONE).unwrap().dtype(), DType::BF16);
}
