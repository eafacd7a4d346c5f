//! Groups of processes that train one job together.
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use super::Trainer;
use crate::engine::Cluster;
use crate::error::{check, Code, Error, Failures, Result};
use crate::event::nanoseconds;
use crate::sys;

/// The result of the functions of a [`Collective`]. `?` converts any error, and so does
/// `"text".into()`.
pub type CollectiveResult<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// An exchange of bytes between the processes of a group, which a program supplies by its
/// connections, MPI or a cluster's own means. [`Trainer::join`] makes a trainer a member of the
/// group, and calls `rank`, `size`, `generation` and `reports_losses` once.
pub trait Collective: Send {
    /// Returns the number of this process, from 0.
    fn rank(&self) -> i32;

    /// Returns the number of processes, at least 1.
    fn size(&self) -> i32;

    /// Returns a number that grows when the group is formed anew. [`exchange`](Self::exchange)
    /// refuses messages of older generations.
    fn generation(&self) -> u64;

    /// Sends `sends[r]` to rank r and fills `receives[r]` with what rank r sends, for all ranks;
    /// the entries of the own rank are empty. All ranks call it in the same order and with the same
    /// `tag`, and both sides know every size in advance: a message of another size, or with another
    /// tag, is an error.
    ///
    /// Tags grow on every rank. If losses are reported, a message with a smaller tag than that of
    /// the call is of an exchange that has failed: drop it. One with a larger tag says that the
    /// other rank has given this exchange up: return an error, and keep the message for the call
    /// with its tag.
    ///
    /// The library calls it on one thread at a time, which need not be the one that trains. It may
    /// block for `timeout` (`None`: without limit), then it returns an error.
    ///
    /// The call that needed the exchange, such as [`Trainer::fit`], returns an error with the same
    /// message, whose [`source`](std::error::Error::source) is the error. An [`Error`] keeps its
    /// code, a [`std::io::Error`] becomes `Unavailable`, any other error and a panic `Aborted`.
    fn exchange(
        &mut self,
        tag: u64,
        sends: &[&[u8]],
        receives: &mut [&mut [u8]],
        timeout: Option<Duration>,
    ) -> CollectiveResult<()>;

    /// Returns true if [`lost`](Self::lost) tells which ranks are lost. Training then goes on
    /// without them and gives the same bits. Two ranks hold each part of the optimizer's state
    /// (option `collective_redundancy`); if both are lost, [`Trainer::fit`] returns an error with
    /// the code `DataLoss`.
    fn reports_losses(&self) -> bool {
        false
    }

    /// Returns all lost ranks in ascending order. Called only after an exchange that failed.
    ///
    /// If it returns no further rank, and the exchange has failed with the code `Unavailable`, all
    /// ranks repeat the step: the connections must work again. After eight repeats in a row without
    /// a completed step it is called once more, without an exchange in between, to give a rank up;
    /// otherwise the training ends. An error ends it as well.
    fn lost(&mut self) -> CollectiveResult<Vec<i32>> {
        Ok(Vec::new())
    }
}

/// A collective as the library calls it.
struct Membership {
    collective: Box<dyn Collective>,
    size: usize,
    failures: Arc<Failures>,
}

/// Returns the memory of a message to send.
unsafe fn bytes<'a>(message: &sys::percale_bytes) -> &'a [u8] {
    match message.size {
        0 => &[],
        size => std::slice::from_raw_parts(message.data.cast::<u8>(), size),
    }
}

/// Returns the memory of a message to receive.
unsafe fn bytes_mut<'a>(message: &sys::percale_bytes) -> &'a mut [u8] {
    match message.size {
        0 => &mut [],
        size => std::slice::from_raw_parts_mut(message.data.cast::<u8>(), size),
    }
}

unsafe extern "C" fn exchange(
    user: *mut c_void,
    tag: u64,
    sends: *const sys::percale_bytes,
    recvs: *mut sys::percale_bytes,
    timeout_ns: i64,
) -> *mut sys::percale_status {
    let group = &mut *user.cast::<Membership>();
    let size = group.size;
    let timeout = u64::try_from(timeout_ns).ok().map(Duration::from_nanos);
    let Membership { collective, failures, .. } = group;
    failures.call(|| {
        let sends: Vec<_> = std::slice::from_raw_parts(sends, size).iter().map(|message| bytes(message)).collect();
        let mut receives: Vec<_> =
            std::slice::from_raw_parts(recvs, size).iter().map(|message| bytes_mut(message)).collect();
        collective.exchange(tag, &sends, &mut receives, timeout)
    })
}

unsafe extern "C" fn lost(user: *mut c_void, out_ranks: *mut i32, inout_count: *mut usize) -> *mut sys::percale_status {
    let Membership { collective, failures, .. } = &mut *user.cast::<Membership>();
    failures.call(|| {
        let ranks = collective.lost()?;
        if ranks.len() > *inout_count {
            return Err(Error::new(Code::Internal, format!("the collective has lost {} ranks", ranks.len())).into());
        }
        std::ptr::copy_nonoverlapping(ranks.as_ptr(), out_ranks, ranks.len());
        *inout_count = ranks.len();
        Ok(())
    })
}

unsafe extern "C" fn drop_membership(user: *mut c_void) {
    let group = Box::from_raw(user.cast::<Membership>());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(group)));
}

impl Trainer {
    /// Makes the trainer a member of a group of processes, for the rest of its life. All ranks call
    /// it with the same job, first values of variables and completed steps. What they call from
    /// then on must be the same on all of them, too: `fit`, `step` with the whole batch,
    /// `evaluate`, `save` and `restore`. [`save`](Trainer::save) writes on rank 0, and any number
    /// of ranks can resume from it.
    ///
    /// With the option `collective_data` as `parts`, each rank fits, steps and evaluates on its own
    /// part of the data.
    ///
    /// The trainer drops the collective when it is dropped itself. The option `collective_timeout`
    /// limits each exchange. An error with the code `FailedPrecondition` names an option that a
    /// group cannot have (mode other than sync, parameters other than host), or the first setting
    /// in which a rank differs from rank 0.
    pub fn join(&mut self, collective: impl Collective + 'static) -> Result<()> {
        let failures = Arc::<Failures>::default();
        let mut table = sys::percale_collective {
            struct_size: std::mem::size_of::<sys::percale_collective>() as u32,
            user: std::ptr::null_mut(),
            rank: collective.rank(),
            size: collective.size(),
            generation: collective.generation(),
            exchange: Some(exchange),
            lost: if collective.reports_losses() { Some(lost) } else { None },
        };
        // The library refuses a size below 1.
        let size = usize::try_from(table.size).unwrap_or(0);
        let group = Membership { collective: Box::new(collective), size, failures: failures.clone() };
        table.user = Box::into_raw(Box::new(group)).cast();
        // SAFETY: the library copies the table. It owns the membership until it passes it to
        // drop_membership(); on failure it does not call that.
        unsafe {
            check(sys::percale_trainer_join(self.raw(), &table, Some(drop_membership)))
                .inspect_err(|_| drop_membership(table.user))
                .map_err(|error| failures.explain(error))?;
        }
        self.group = Some(failures);
        Ok(())
    }

    /// Makes the trainer a member of the group of the cluster's processes that train: the chief and
    /// the workers. A plug-in connects them: `libpercale_remote.so` by gRPC. Returns when all of
    /// them have called it, or after `timeout` (`None`: without limit). All else is as with
    /// [`join`](Trainer::join); training goes on without a worker that is lost. The process leaves
    /// the group when the trainer is dropped.
    ///
    /// Addresses beyond this machine need certificates, see [`Cluster::set_certificates`]. The code
    /// of an error is `Unimplemented` if no plug-in connects processes, `Unavailable` or
    /// `DeadlineExceeded` if the group was not complete in time, and `FailedPrecondition` if this
    /// process does not train, has another version or numerics fingerprint than the others, or
    /// lacks certificates.
    pub fn join_cluster(&mut self, cluster: &Cluster, timeout: Option<Duration>) -> Result<()> {
        // SAFETY: both are alive.
        check(unsafe { sys::percale_trainer_join_cluster(self.raw(), cluster.raw(), nanoseconds(timeout)) })
    }

    /// Returns the error, with the error of the trainer's collective as its source if there is one.
    pub(super) fn explain(&self, error: Error) -> Error {
        match &self.group {
            Some(failures) => failures.explain(error),
            None => error,
        }
    }
}
