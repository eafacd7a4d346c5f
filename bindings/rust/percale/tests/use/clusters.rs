//! Clusters, and trainers that join the group of one. The processes are threads of this one.
use std::net::TcpListener;
use std::time::Duration;

use percale::*;

use crate::common::{digest, engine, line_data, two_shards};

const THREE: &str = r#"{"cluster": {"worker": ["b:2", "c:3"], "chief": ["a:1"], "evaluator": ["d:4"]}}"#;

/// Returns a cluster of these tasks in which this process has the role.
fn cluster(tasks: &str, job: &str, task: i64) -> Cluster {
    let mut out = Cluster::from_json(tasks).unwrap();
    out.set_role(job, task).unwrap();
    out
}

/// Returns the tasks of a chief and a worker at free ports of this machine.
fn two_tasks() -> String {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [chief, worker] = listeners.map(|listener| listener.local_addr().unwrap());
    format!(r#"{{"cluster": {{"chief": ["{chief}"], "worker": ["{worker}"]}}}}"#)
}

#[test]
fn ranks_are_those_of_the_chief_and_the_workers() {
    for (job, task, rank) in
        [("chief", 0, Some(0)), ("worker", 0, Some(1)), ("worker", 1, Some(2)), ("evaluator", 0, None)]
    {
        let cluster = cluster(THREE, job, task);
        assert_eq!((cluster.rank(), cluster.size()), (rank, 3), "{job} {task}");
    }
}

#[test]
fn certificates_are_a_folder_or_none() {
    let mut cluster = Cluster::new().unwrap();
    cluster.set_certificates("certificates").unwrap();
    cluster.set_certificates("").unwrap();
}

#[test]
fn a_process_that_does_not_train_cannot_join() {
    let mut trainer = two_shards(&engine());
    let error = trainer.join_cluster(&cluster(THREE, "evaluator", 0), Some(Duration::from_secs(1))).unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    assert!(error.message().contains("its job is 'evaluator'"), "{error}");
}

#[test]
fn a_chief_and_a_worker_compute_the_bits_of_one_trainer_if_a_plugin_connects_them() {
    let tasks = two_tasks();
    let train = |job: &str| {
        let engine = engine();
        let mut trainer = two_shards(&engine);
        trainer.join_cluster(&cluster(&tasks, job, 0), Some(Duration::from_secs(60)))?;
        trainer.fit(Some(&mut line_data(&engine)), 3)?;
        Ok::<_, Error>(digest(&trainer))
    };
    let digests = std::thread::scope(|scope| {
        ["chief", "worker"].map(|job| scope.spawn(move || train(job))).map(|process| process.join().unwrap())
    });
    if digests.iter().flat_map(|result| result.as_ref().err()).any(|error| error.code() == Code::Unimplemented) {
        println!("skipped: no plug-in connects processes");
        return;
    }
    let engine = engine();
    let mut alone = two_shards(&engine);
    alone.fit(Some(&mut line_data(&engine)), 3).unwrap();
    assert_eq!(digests.map(Result::unwrap), [digest(&alone), digest(&alone)]);
}
