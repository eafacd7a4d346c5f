//! The engine, traces and clusters.
use std::ffi::{c_char, c_void, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

use crate::error::{borrowed_text, check, path_text, take_text, Result};
use crate::handle::Handle;
use crate::host::{self, Executor, FileReader, Files, HostResult, Task};
use crate::options::{OptionValue, Settings};
use crate::sys;

/// Owns the devices, threads, registries and the memory limit. Cheap to clone. Objects that are
/// created with it keep it alive.
///
/// ```
/// let engine = percale::Engine::builder().threads(1).devices("cpu=2x1").build()?;
/// assert_eq!(engine.device_names(), ["cpu:0", "cpu:1"]);
/// # Ok::<(), percale::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    pub(crate) handle: Handle<sys::percale_engine>,
}

/// The severity of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// Details for developers of Percale.
    Debug,
    /// Progress and decisions: placement, idle devices, the op Print.
    Info,
    /// The library continues without something, such as a device.
    Warning,
    /// A failure that no call can report.
    Error,
}

/// Selects the facts that [`Engine::describe`] returns as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineFacts {
    /// Versions, instruction set, threads, devices (for an absent one, the reason), libraries,
    /// memory.
    Info,
    /// The schemas of all ops.
    Ops,
    /// The schemas of all layers.
    Layers,
    /// The passes over graphs.
    Passes,
    /// The kernels, per op and kind of device.
    Kernels,
    /// The losses, with their keys.
    Losses,
    /// The metrics, with their keys.
    Metrics,
    /// The optimizers, with their keys.
    Optimizers,
    /// The learning rate schedules, with their keys.
    Schedules,
    /// The keys of a SPEC.
    Spec,
}

impl Engine {
    /// Creates an engine with the default options.
    /// [`describe_options`](crate::describe_options) lists them.
    pub fn new() -> Result<Engine> {
        Engine::builder().build()
    }

    /// Returns a builder for an engine with other settings.
    pub fn builder() -> EngineBuilder {
        EngineBuilder { settings: Settings::default(), log: None, executor: None, files: None }
    }

    /// Returns the names of the usable devices.
    pub fn device_names(&self) -> Vec<String> {
        // SAFETY: the names live as long as the engine and are copied.
        unsafe {
            let count = sys::percale_engine_device_count(self.handle.get());
            (0..count)
                .filter_map(|index| borrowed_text(sys::percale_engine_get_device_name(self.handle.get(), index)))
                .collect()
        }
    }

    /// Returns facts as JSON.
    pub fn describe(&self, what: EngineFacts) -> Result<String> {
        let what = match what {
            EngineFacts::Info => c"info",
            EngineFacts::Ops => c"ops",
            EngineFacts::Layers => c"layers",
            EngineFacts::Passes => c"passes",
            EngineFacts::Kernels => c"kernels",
            EngineFacts::Losses => c"losses",
            EngineFacts::Metrics => c"metrics",
            EngineFacts::Optimizers => c"optimizers",
            EngineFacts::Schedules => c"schedules",
            EngineFacts::Spec => c"spec",
        };
        // SAFETY: the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_engine_describe(self.handle.get(), what.as_ptr(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Reads a file and returns the first error that it finds. Accepts `.percale`, `.onnx`,
    /// `.safetensors`, `.npy` and `.npz` files, a SPEC (`.json`), a checkpoint, or a folder of
    /// checkpoints.
    pub fn check_file(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is NUL-terminated and outlives the call.
        unsafe { check(sys::percale_file_check(self.handle.get(), path.as_ptr())) }
    }

    /// Returns the number of bytes that the engine's allocations hold now.
    pub fn memory_used(&self) -> i64 {
        self.memory().0
    }

    /// Returns the highest number of bytes that the engine's allocations held so far.
    pub fn memory_peak(&self) -> i64 {
        self.memory().1
    }

    /// Gives memory that is kept for later runs back to the system, and returns the number of bytes
    /// that the engine has released. Runs that are under way keep what they have; later runs
    /// allocate again.
    pub fn trim(&self) -> i64 {
        // SAFETY: the engine is alive.
        unsafe { sys::percale_engine_trim(self.handle.get()) }
    }

    /// Returns what the engine has counted so far as JSON: runs, errors, time, memory, plans, steps
    /// of training. The comment of `percale_engine_metrics` in the header `engine.h` lists the
    /// keys. It is cheap, and no run waits for it.
    pub fn metrics(&self) -> Result<String> {
        // SAFETY: the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_engine_metrics(self.handle.get(), &mut text))?;
            Ok(take_text(text))
        }
    }

    fn memory(&self) -> (i64, i64) {
        let (mut used, mut peak) = (0, 0);
        // SAFETY: both pointers are valid for writes.
        unsafe { sys::percale_engine_memory(self.handle.get(), &mut used, &mut peak) };
        (used, peak)
    }
}

type Log = Box<dyn Fn(LogLevel, &str) + Send + Sync>;

/// Collects the settings of an engine; see [`Engine::builder`].
#[must_use = "build() creates the engine"]
pub struct EngineBuilder {
    settings: Settings,
    log: Option<Log>,
    executor: Option<Executor>,
    files: Option<Files>,
}

impl EngineBuilder {
    /// Sets any option of an engine by its name; see [`describe_options`](crate::describe_options).
    pub fn option(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.settings.set(key, value);
        self
    }

    /// Sets the number of threads that compute at once, including the caller. 0 means all that the
    /// machine allows the process.
    pub fn threads(self, threads: u32) -> Self {
        self.option("threads", i64::from(threads))
    }

    /// Sets the devices, separated by commas: `cpu:0,cpu:1`, `cpu=4x1` (four with one thread each),
    /// `all`, `none`.
    pub fn devices(self, devices: &str) -> Self {
        self.option("devices", devices)
    }

    /// Sets the memory limit of the engine in bytes; 0 means no limit.
    pub fn memory_limit(self, bytes: u64) -> Self {
        self.option("memory_limit", i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Sets the file of a plug-in, or a folder of plug-ins.
    pub fn plugin_path(self, path: impl AsRef<Path>) -> Self {
        self.option("plugin_path", path.as_ref().to_string_lossy().into_owned())
    }

    /// Sets a function that receives log messages of this level and above. It is called on any
    /// thread, and dropped when the engine ends. Its panics are discarded.
    pub fn log(mut self, level: LogLevel, function: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Self {
        self.log = Some(Box::new(function));
        let level = match level {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
        };
        self.option("log", level)
    }

    /// Makes the engine compute on the program's threads: `execute` has [`Task::run`] called on any
    /// thread, at once or later. The engine then starts no threads that compute.
    /// [`threads`](EngineBuilder::threads) is the number of threads that one loop uses at most, the
    /// calling one included. Results have the same bits. An error or a panic becomes that of the
    /// run that needed the task.
    ///
    /// The library never waits for a task that has not begun, so a pool of any size will do, and
    /// runs may be started within it.
    ///
    /// ```
    /// let engine = percale::Engine::builder()
    ///     .threads(4)
    ///     .executor(|task| {
    ///         std::thread::spawn(|| task.run());
    ///         Ok(())
    ///     })
    ///     .build()?;
    /// # Ok::<(), percale::Error>(())
    /// ```
    pub fn executor(mut self, execute: impl Fn(Task) -> HostResult<()> + Send + Sync + 'static) -> Self {
        self.executor = Some(Box::new(execute));
        self
    }

    /// Lets the engine read files of the program: wherever it takes a path to read from, one that
    /// begins with `host:` names such a file. A model is read once, and files that it names are
    /// read beside it. A checkpoint is named by its folder, `host:run/step-7`. The reader is
    /// dropped when the engine ends.
    pub fn files(mut self, files: impl FileReader + 'static) -> Self {
        self.files = Some(Box::new(files));
        self
    }

    /// Creates the engine. It searches for plug-ins, which happens only here.
    pub fn build(self) -> Result<Engine> {
        crate::ensure_loaded()?;
        let options = self.settings.make_always("engine")?;
        if let Some(executor) = self.executor {
            host::set_executor(options.get(), executor)?;
        }
        if let Some(files) = self.files {
            host::set_files(options.get(), files)?;
        }
        // SAFETY: the handle is wrapped at once, and the engine is not shared yet. The library owns
        // the function until it passes it to drop_log(); on failure it does not call that.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_engine_create(options.get(), &mut raw))?;
            let engine = Engine { handle: Handle::new(raw) };
            if let Some(log) = self.log {
                let log = Box::into_raw(Box::new(log)).cast();
                check(sys::percale_engine_set_log_owned(raw, Some(write_log), log, Some(drop_log)))
                    .inspect_err(|_| drop_log(log))?;
            }
            Ok(engine)
        }
    }
}

unsafe extern "C" fn drop_log(user: *mut c_void) {
    let log = Box::from_raw(user.cast::<Log>());
    // A panic must not unwind into the library.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(log)));
}

unsafe extern "C" fn write_log(user: *mut c_void, level: i32, message: *const c_char, size: usize) {
    let log = &*user.cast::<Log>().cast_const();
    let level = match level {
        0 => LogLevel::Debug,
        1 => LogLevel::Info,
        2 => LogLevel::Warning,
        _ => LogLevel::Error,
    };
    let message = String::from_utf8_lossy(std::slice::from_raw_parts(message.cast::<u8>(), size));
    // A panic must not unwind into the library.
    let _ = catch_unwind(AssertUnwindSafe(|| log(level, &message)));
}

/// Time spans that sessions and trainers record while the trace is attached to them.
pub struct Trace {
    pub(crate) handle: Handle<sys::percale_trace>,
}

impl Trace {
    /// Creates an empty trace.
    pub fn new(engine: &Engine) -> Result<Trace> {
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_trace_create(engine.handle.get(), &mut raw))?;
            Ok(Trace { handle: Handle::new(raw) })
        }
    }

    /// Returns the spans in the JSON format that Chrome and Perfetto open.
    pub fn json(&self) -> Result<String> {
        // SAFETY: the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_trace_json(self.handle.get(), &mut text))?;
            Ok(take_text(text))
        }
    }
}

/// Describes a cluster: its jobs, tasks and addresses, and the role of this process.
pub struct Cluster {
    handle: Handle<sys::percale_cluster>,
}

impl Cluster {
    /// Creates an empty cluster.
    pub fn new() -> Result<Cluster> {
        Cluster::take(|out| unsafe { sys::percale_cluster_create(out) })
    }

    /// Creates a cluster from the JSON of `TF_CONFIG`.
    pub fn from_json(json: &str) -> Result<Cluster> {
        Cluster::take(|out| unsafe { sys::percale_cluster_from_json(json.as_ptr().cast(), json.len(), out) })
    }

    /// Creates a cluster from the variables that a launcher has set: `TF_CONFIG`, or those of
    /// torchrun, Kubeflow, ps-lite, MPI, Slurm or Kubernetes, in this order.
    pub fn from_environment() -> Result<Cluster> {
        Cluster::take(|out| unsafe { sys::percale_cluster_from_environment(out) })
    }

    fn take(make: impl FnOnce(*mut *mut sys::percale_cluster) -> *mut sys::percale_status) -> Result<Cluster> {
        crate::ensure_loaded()?;
        let mut raw = std::ptr::null_mut();
        check(make(&mut raw))?;
        // SAFETY: the handle was just created.
        Ok(Cluster { handle: unsafe { Handle::new(raw) } })
    }

    /// Adds a task of a job with its address, `host:port` or `unix:path`.
    pub fn add_task(&mut self, job: &str, task: i64, address: &str) -> Result<()> {
        let (job, address) = (CString::new(job)?, CString::new(address)?);
        // SAFETY: the texts are NUL-terminated.
        check(unsafe { sys::percale_cluster_add_task(self.handle.get(), job.as_ptr(), task, address.as_ptr()) })
    }

    /// Sets the job and task of this process.
    pub fn set_role(&mut self, job: &str, task: i64) -> Result<()> {
        let job = CString::new(job)?;
        // SAFETY: the text is NUL-terminated.
        check(unsafe { sys::percale_cluster_set_role(self.handle.get(), job.as_ptr(), task) })
    }

    /// Returns the names of the jobs.
    pub fn jobs(&self) -> Vec<String> {
        // SAFETY: the names live until the cluster is changed, and are copied.
        unsafe {
            let count = sys::percale_cluster_job_count(self.handle.get());
            (0..count)
                .filter_map(|index| borrowed_text(sys::percale_cluster_get_job(self.handle.get(), index)))
                .collect()
        }
    }

    /// Returns the highest task number of a job plus one, or 0 for an unknown job.
    pub fn task_count(&self, job: &str) -> i64 {
        // SAFETY: the text is NUL-terminated.
        CString::new(job).map_or(0, |job| unsafe { sys::percale_cluster_task_count(self.handle.get(), job.as_ptr()) })
    }

    /// Returns the address of a task as it was added. It is empty if the source does not give it,
    /// and `None` if there is no such task.
    pub fn address(&self, job: &str, task: i64) -> Option<String> {
        let job = CString::new(job).ok()?;
        // SAFETY: the text is NUL-terminated; the result is copied.
        unsafe { borrowed_text(sys::percale_cluster_get_address(self.handle.get(), job.as_ptr(), task)) }
    }

    /// Returns the job and task of this process. The job is empty if no role is set.
    pub fn role(&self) -> (String, i64) {
        let mut task = 0;
        // SAFETY: the result is copied.
        let job = unsafe { borrowed_text(sys::percale_cluster_get_role(self.handle.get(), &mut task)) };
        (job.unwrap_or_default(), task)
    }

    /// Returns the number of this process among those that train together: the chief, then the
    /// workers in order. `None` for a process that does not train, such as `ps` or `evaluator`.
    pub fn rank(&self) -> Option<i32> {
        self.rank_and_size().0
    }

    /// Returns the number of processes that train together.
    pub fn size(&self) -> i32 {
        self.rank_and_size().1
    }

    fn rank_and_size(&self) -> (Option<i32>, i32) {
        let mut size = 0;
        // SAFETY: the cluster is alive.
        let rank = unsafe { sys::percale_cluster_get_rank(self.handle.get(), &mut size) };
        // The library makes no cluster of more processes than i32 has numbers.
        ((rank >= 0).then_some(rank as i32), size as i32)
    }

    /// Sets the folder of certificates by which the processes recognise each other: `ca.pem`,
    /// `node.pem` and `node.key`, as `percale-worker --make-certificates` makes them. An empty path
    /// means none: then only processes of one machine may form a group.
    pub fn set_certificates(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = path_text(folder.as_ref())?;
        // SAFETY: the text is NUL-terminated.
        check(unsafe { sys::percale_cluster_set_certificates(self.handle.get(), folder.as_ptr()) })
    }

    pub(crate) fn raw(&self) -> *const sys::percale_cluster {
        self.handle.get()
    }
}
