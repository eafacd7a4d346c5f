//! Threads, files and memory of the program; memory that an engine gives back; its metrics.
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use percale::*;

use crate::common::engine;

/// Returns the bytes of a graph y = x * w, which is large enough for a loop of several pieces.
fn wide_file() -> Vec<u8> {
    let engine = engine();
    let mut builder = Builder::new(&engine).unwrap();
    let x = builder.input("x", DType::F32, &[64, 256]).unwrap();
    let weights = (0..256 * 256).map(|i| (i % 83) as f32 / 83.0).collect();
    let w = builder.variable("w", &Tensor::from_vec(&[256, 256], weights).unwrap()).unwrap();
    let y = builder.op("MatMul").name("y").inputs([x, w]).finish().unwrap();
    builder.set_outputs(&[y]).unwrap();
    builder.finish().unwrap().serialize(None).unwrap()
}

fn run(engine: &Engine, graph: &Graph) -> Result<Vec<f32>> {
    let variables = Variables::new(engine, graph, 0)?;
    let session = Session::builder(engine, graph).variables(&variables).build()?;
    let x = Tensor::from_vec(&[64, 256], (0..64 * 256).map(|i| (i % 17) as f32).collect())?;
    Ok(session.run(&[("x", &x)], &["y"])?[0].as_slice::<f32>()?.to_vec())
}

fn loaded(engine: &Engine, file: &[u8]) -> Result<Vec<f32>> {
    run(engine, &Graph::load(engine, file)?)
}

#[test]
fn threads_of_the_program_compute_the_same_bits() {
    let file = wide_file();
    let wanted = loaded(&Engine::builder().threads(4).build().unwrap(), &file).unwrap();
    let tasks = Arc::new(AtomicUsize::new(0));
    let counted = tasks.clone();
    let spawned = Engine::builder().threads(4).executor(move |task| {
        counted.fetch_add(1, Ordering::SeqCst);
        std::thread::spawn(|| task.run());
        Ok(())
    });
    assert_eq!(loaded(&spawned.build().unwrap(), &file).unwrap(), wanted);
    assert!(tasks.load(Ordering::SeqCst) > 0);
    let at_once = Engine::builder().threads(4).executor(|task| {
        task.run();
        Ok(())
    });
    assert_eq!(loaded(&at_once.build().unwrap(), &file).unwrap(), wanted);
    let dropped = Engine::builder().threads(4).executor(|_| Ok(()));
    assert_eq!(loaded(&dropped.build().unwrap(), &file).unwrap(), wanted);
    assert_eq!(Arc::strong_count(&tasks), 1);
}

#[test]
fn the_error_of_an_executor_is_that_of_the_run() {
    let file = wide_file();
    let full = Engine::builder().threads(4).executor(|_| Err("the pool is shut down".into())).build().unwrap();
    let error = loaded(&full, &file).unwrap_err();
    assert_eq!(error.code(), Code::Aborted);
    assert!(error.message().contains("the thread pool of the host: the pool is shut down"), "{error}");
    let broken = Engine::builder().threads(4).executor(|_| panic!("broken")).build().unwrap();
    let error = loaded(&broken, &file).unwrap_err();
    assert!(error.code() == Code::Aborted && error.message().contains("panic: broken"), "{error}");
}

struct Archive(HashMap<String, Vec<u8>>);

impl FileReader for Archive {
    fn size(&self, name: &str) -> HostResult<u64> {
        let file = self.0.get(name).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "not in the archive"))?;
        Ok(file.len() as u64)
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> HostResult<()> {
        if name == "locked" {
            return Err("the key is wrong".into());
        }
        let begin = usize::try_from(offset)?;
        buffer.copy_from_slice(&self.0[name][begin..begin + buffer.len()]);
        Ok(())
    }
}

#[test]
fn models_are_read_by_the_program() {
    let file = wide_file();
    let files = HashMap::from([("m/wide.percale".to_owned(), file.clone()), ("locked".to_owned(), file.clone())]);
    let engine = Engine::builder().files(Archive(files)).build().unwrap();
    let graph = Graph::load_file(&engine, "host:m/wide.percale").unwrap();
    assert_eq!(run(&engine, &graph).unwrap(), loaded(&engine, &file).unwrap());
    let error = Graph::load_file(&engine, "host:other").err().unwrap();
    assert!(error.code() == Code::NotFound && error.message().contains("host:other: not in the archive"), "{error}");
    let error = Graph::load_file(&engine, "host:locked").err().unwrap();
    assert!(error.code() == Code::Aborted && error.message().contains("host:locked: the key is wrong"), "{error}");
}

#[test]
fn models_lie_in_memory_of_the_program() {
    let (engine, file) = (engine(), wide_file());
    let owner: Arc<[u8]> = file.clone().into();
    let (graph, copied) = Graph::from_owner(&engine, owner.clone()).unwrap();
    assert_eq!(Arc::strong_count(&owner), if copied == 0 { 2 } else { 1 });
    assert!(copied == 0 || copied == file.len() as i64);
    assert_eq!(run(&engine, &graph).unwrap(), loaded(&engine, &file).unwrap());
    drop(graph);
    assert_eq!(Arc::strong_count(&owner), 1);
    assert_eq!(Graph::from_owner(&engine, file[..70].to_vec()).err().unwrap().code(), Code::DataLoss);
    let graph = Graph::load(&engine, &file).unwrap();
    let variables = Variables::new(&engine, &graph, 0).unwrap();
    let error = variables.load_owner(owner.clone(), true).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(Arc::strong_count(&owner), 1);
}

#[test]
fn memory_is_given_back_and_runs_are_counted() {
    let engine = engine();
    loaded(&engine, &wide_file()).unwrap();
    assert!(engine.trim() >= 0);
    assert!(engine.metrics().unwrap().starts_with("{\"runs_total\":1,"));
}
