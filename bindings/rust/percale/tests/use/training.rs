//! Training, from options to checkpoints.
use percale::*;

use crate::common::{engine, line_data, LINE};

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
            assert_eq!(validation.rows(), Some(16));
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
    assert_eq!(Dataset::concatenate(&[&data, &data]).unwrap().rows(), Some(32));
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
