//! Trainers of a group. The ranks are threads of this process that exchange bytes by channels.
use std::error::Error as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;
use std::time::Duration;

use percale::*;

use crate::common::{digest, engine, line_data, two_shards};

type Message = (u64, Vec<u8>);
type Fails = fn() -> CollectiveResult<()>;

/// One of two ranks.
struct Pair {
    rank: i32,
    to: Option<Sender<Message>>,
    from: Receiver<Message>,
    /// Called in place of an exchange once `failing` is set. The other rank is then alone.
    fails: Fails,
    failing: Arc<AtomicBool>,
    reports: bool,
    alone: bool,
}

impl Collective for Pair {
    fn rank(&self) -> i32 {
        self.rank
    }

    fn size(&self) -> i32 {
        2
    }

    fn generation(&self) -> u64 {
        1
    }

    fn exchange(
        &mut self,
        tag: u64,
        sends: &[&[u8]],
        receives: &mut [&mut [u8]],
        timeout: Option<Duration>,
    ) -> CollectiveResult<()> {
        if self.failing.load(Ordering::Relaxed) {
            self.to = None;
            return (self.fails)();
        }
        let (own, other) = if self.rank == 0 { (0, 1) } else { (1, 0) };
        assert_eq!((sends.len(), receives.len()), (2, 2));
        assert!(sends[own].is_empty() && receives[own].is_empty());
        assert_eq!(timeout, Some(Duration::from_secs(30)));
        let sent = self.to.as_ref().unwrap().send((tag, sends[other].to_vec()));
        let received = self.from.recv_timeout(Duration::from_secs(30));
        self.alone = sent.is_err() || received.is_err();
        let (found, bytes) = received?;
        if found != tag || bytes.len() != receives[other].len() {
            return Err("the ranks are out of step".into());
        }
        receives[other].copy_from_slice(&bytes);
        Ok(())
    }

    fn reports_losses(&self) -> bool {
        self.reports
    }

    fn lost(&mut self) -> CollectiveResult<Vec<i32>> {
        Ok(if self.alone { vec![1 - self.rank] } else { Vec::new() })
    }
}

/// A group that no trainer can join.
struct OfSize(i32, i32);

impl Collective for OfSize {
    fn rank(&self) -> i32 {
        self.0
    }

    fn size(&self) -> i32 {
        self.1
    }

    fn generation(&self) -> u64 {
        1
    }

    fn exchange(&mut self, _: u64, _: &[&[u8]], _: &mut [&mut [u8]], _: Option<Duration>) -> CollectiveResult<()> {
        Err("an exchange".into())
    }
}

/// Returns the two ranks of a group.
fn pairs(fails: Fails, reports: bool) -> [Pair; 2] {
    let ((to_1, from_0), (to_0, from_1)) = (channel(), channel());
    let pair = |rank, to, from| {
        let failing = Arc::default();
        Pair { rank, to: Some(to), from, fails, failing, reports, alone: false }
    };
    [pair(0, to_1, from_1), pair(1, to_0, from_0)]
}

/// A trainer that has joined a group.
struct Member {
    rank: i32,
    trainer: Trainer,
    data: Dataset,
    /// Makes the exchanges of this rank fail.
    failing: Arc<AtomicBool>,
}

/// Calls `work` on a thread per rank.
fn as_two_ranks<T: Send>(pairs: [Pair; 2], work: impl Fn(Member) -> T + Sync) -> [T; 2] {
    let work = &work;
    std::thread::scope(|scope| {
        let rank = |pair: Pair| {
            scope.spawn(move || {
                let engine = engine();
                let (rank, failing) = (pair.rank, pair.failing.clone());
                let mut trainer = two_shards(&engine);
                trainer.join(pair).unwrap();
                work(Member { rank, trainer, data: line_data(&engine), failing })
            })
        };
        pairs.map(rank).map(|thread| thread.join().unwrap())
    })
}

#[test]
fn two_ranks_compute_the_bits_of_one_trainer_and_save_one_checkpoint() {
    let folder = std::env::temp_dir().join(format!("percale-rust-group-{}", std::process::id()));
    let digests = as_two_ranks(pairs(|| Ok(()), false), |mut member| {
        member.trainer.fit(Some(&mut member.data), 3).unwrap();
        member.trainer.save(&folder).unwrap();
        digest(&member.trainer)
    });
    let engine = engine();
    let (mut alone, mut resumed) = (two_shards(&engine), two_shards(&engine));
    alone.fit(Some(&mut line_data(&engine)), 3).unwrap();
    assert_eq!(digests, [digest(&alone), digest(&alone)]);
    resumed.restore(&folder).unwrap();
    assert_eq!(digest(&resumed), digests[0]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn training_goes_on_without_a_lost_rank_and_gives_the_same_bits() {
    let left = pairs(|| Err("this rank has left".into()), true);
    let [first, second] = as_two_ranks(left, |mut member| {
        let leave = |progress: &Progress<'_>| {
            member.failing.store(member.rank == 1 && progress.step() >= 2, Ordering::Relaxed);
            std::ops::ControlFlow::Continue(())
        };
        member.trainer.fit_with(Some(&mut member.data), 3, leave)?;
        Ok::<_, Error>(digest(&member.trainer))
    });
    assert_eq!(second.unwrap_err().source().unwrap().to_string(), "this rank has left");
    let engine = engine();
    let mut alone = two_shards(&engine);
    alone.fit(Some(&mut line_data(&engine)), 3).unwrap();
    assert_eq!(first.unwrap(), digest(&alone));
}

/// Returns the errors of a fit whose exchanges fail.
fn fit_errors(fails: Fails) -> [Error; 2] {
    as_two_ranks(pairs(fails, false), |Member { mut trainer, mut data, failing, .. }| {
        failing.store(true, Ordering::Relaxed);
        let error = trainer.fit(Some(&mut data), 1).unwrap_err();
        assert_eq!(trainer.steps(), 0);
        let later = trainer.fit(Some(&mut data), 1).unwrap_err();
        assert!(later.message().contains("the group has ended"), "{later}");
        assert_eq!(later.code(), error.code());
        error
    })
}

#[test]
fn the_error_of_an_exchange_is_the_source_of_the_error_of_fit() {
    use std::io::{Error as IoError, ErrorKind};
    let cases: [(Fails, Code); 4] = [
        (|| Err(percale::Error::new(Code::DataLoss, "the cable is cut").into()), Code::DataLoss),
        (|| Err(IoError::new(ErrorKind::BrokenPipe, "the cable is cut").into()), Code::Unavailable),
        (|| Err("the cable is cut".into()), Code::Aborted),
        (|| panic!("the cable is cut"), Code::Aborted),
    ];
    for (fails, code) in cases {
        for error in fit_errors(fails) {
            assert_eq!(error.code(), code, "{error}");
            assert!(error.message().contains("the cable is cut"), "{error}");
            assert!(error.source().unwrap().to_string().contains("the cable is cut"), "{error}");
        }
    }
}

#[test]
fn the_error_of_an_exchange_is_the_source_of_the_error_of_join() {
    let engine = engine();
    let mut trainer = two_shards(&engine);
    let [pair, _] = pairs(|| Err("the cable is cut".into()), false);
    pair.failing.store(true, Ordering::Relaxed);
    let error = trainer.join(pair).unwrap_err();
    assert_eq!(error.source().unwrap().to_string(), "the cable is cut");
    trainer.fit(Some(&mut line_data(&engine)), 1).unwrap(); // alone
    assert_eq!(trainer.steps(), 4);
}

#[test]
fn a_collective_is_dropped_with_its_trainer() {
    as_two_ranks(pairs(|| Ok(()), false), |member| {
        assert_eq!(Arc::strong_count(&member.failing), 2);
        drop(member.trainer);
        assert_eq!(Arc::strong_count(&member.failing), 1);
    });
}

#[test]
fn a_group_of_no_ranks_and_a_rank_outside_of_the_group_are_refused() {
    let mut trainer = two_shards(&engine());
    for (group, why) in [(OfSize(0, 0), "the group has 0 ranks"), (OfSize(2, 2), "the rank is 2")] {
        let error = trainer.join(group).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(why), "{error}");
    }
}
