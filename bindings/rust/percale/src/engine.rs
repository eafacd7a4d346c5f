//! The root of everything.
use std::ffi::{c_char, c_void, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

use crate::error::{borrowed_text, check, path_text, take_text, Result};
use crate::handle::Handle;
use crate::options::{self, OptionValue, Settings};
use crate::sys;

/// Registries, devices, threads and the memory limit. Cheap to clone; what is made with it keeps it alive.
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

/// How loud a message of the library is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// For those who look for an error of the library.
    Debug,
    /// What it does.
    Info,
    /// What is probably not meant.
    Warning,
    /// What went wrong.
    Error,
}

/// What [`Engine::describe`] tells, as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineFacts {
    /// Versions, instruction set, threads, devices and why an absent one is absent, libraries, memory.
    Info,
    /// The schemas of all ops.
    Ops,
    /// The schemas of all layers.
    Layers,
    /// The passes over graphs.
    Passes,
    /// The kernels, per op and kind of device.
    Kernels,
    /// The losses, with the keys that they take.
    Losses,
    /// The metrics, with the keys that they take.
    Metrics,
    /// The optimizers, with the keys that they take.
    Optimizers,
    /// The schedules of the learning rate, with the keys that they take.
    Schedules,
    /// The keys of a SPEC.
    Spec,
}

impl Engine {
    /// An engine with the defaults: all threads that the machine allows, the device `cpu:0`, no memory limit.
    pub fn new() -> Result<Engine> {
        Engine::builder().build()
    }

    /// Begins an engine with settings of one's own.
    pub fn builder() -> EngineBuilder {
        EngineBuilder { settings: Settings::default(), log: None }
    }

    /// The names of the devices that can be used.
    pub fn device_names(&self) -> Vec<String> {
        // SAFETY: the names live as long as the engine and are copied.
        unsafe {
            let count = sys::percale_engine_device_count(self.handle.get());
            (0..count)
                .filter_map(|index| borrowed_text(sys::percale_engine_get_device_name(self.handle.get(), index)))
                .collect()
        }
    }

    /// Facts as JSON.
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
        // SAFETY: the text is taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_engine_describe(self.handle.get(), what.as_ptr(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Reads a file and returns what is wrong with it. Kinds: `.percale`, `.onnx`, `.safetensors`,
    /// `.npy`, `.npz`, a SPEC (`.json`), a checkpoint or a folder of checkpoints.
    pub fn check_file(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is borrowed for the call.
        unsafe { check(sys::percale_file_check(self.handle.get(), path.as_ptr())) }
    }

    /// The bytes that the engine's allocations hold now.
    pub fn memory_used(&self) -> i64 {
        self.memory().0
    }

    /// The most bytes that the engine's allocations ever held.
    pub fn memory_peak(&self) -> i64 {
        self.memory().1
    }

    fn memory(&self) -> (i64, i64) {
        let (mut used, mut peak) = (0, 0);
        // SAFETY: two places to write to.
        unsafe { sys::percale_engine_memory(self.handle.get(), &mut used, &mut peak) };
        (used, peak)
    }
}

type Log = Box<dyn Fn(LogLevel, &str) + Send + Sync>;

/// An engine that is being set up; see [`Engine::builder`].
#[must_use = "an engine is made by build()"]
pub struct EngineBuilder {
    settings: Settings,
    log: Option<Log>,
}

impl EngineBuilder {
    /// Any option of an engine by its name; see [`describe_options`](crate::describe_options).
    pub fn option(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.settings.set(key, value);
        self
    }

    /// Threads that compute at once, the caller counted; 0: what the machine allows the process.
    pub fn threads(self, threads: u32) -> Self {
        self.option("threads", i64::from(threads))
    }

    /// Devices, separated by commas: `cpu:0,cpu:1`, `cpu=4x1` (four of one thread), `all`, `none`.
    pub fn devices(self, devices: &str) -> Self {
        self.option("devices", devices)
    }

    /// The most bytes that the engine may hold; 0: no limit.
    pub fn memory_limit(self, bytes: u64) -> Self {
        self.option("memory_limit", i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// A plug-in's file, or a folder of them.
    pub fn plugin_path(self, path: impl AsRef<Path>) -> Self {
        self.option("plugin_path", path.as_ref().to_string_lossy().into_owned())
    }

    /// Where messages of this level and above go. The function is called on any thread, and dropped when the engine ends. What it
    /// panics with is dropped.
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

    /// The engine. Plug-ins are looked for now and at no other time.
    pub fn build(self) -> Result<Engine> {
        crate::ensure_loaded()?;
        let options = self.settings.make("engine")?;
        // SAFETY: the handle is taken over at once. Nobody else has the engine yet. The library has the function until it gives it
        // to drop_log(), which it does not when it refuses it.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_engine_create(options::raw(&options), &mut raw))?;
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
    // A panic must not cross the border.
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
    // A panic must not cross the border.
    let _ = catch_unwind(AssertUnwindSafe(|| log(level, &message)));
}

/// Spans of time, recorded by sessions and trainers while the trace is attached to them.
pub struct Trace {
    pub(crate) handle: Handle<sys::percale_trace>,
}

impl Trace {
    /// An empty trace.
    pub fn new(engine: &Engine) -> Result<Trace> {
        // SAFETY: the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_trace_create(engine.handle.get(), &mut raw))?;
            Ok(Trace { handle: Handle::new(raw) })
        }
    }

    /// The spans in the JSON form that Chrome and Perfetto open.
    pub fn json(&self) -> Result<String> {
        // SAFETY: the text is taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_trace_json(self.handle.get(), &mut text))?;
            Ok(take_text(text))
        }
    }
}

/// The description of a cluster: jobs, tasks, addresses, the own role.
pub struct Cluster {
    handle: Handle<sys::percale_cluster>,
}

impl Cluster {
    /// An empty cluster.
    pub fn new() -> Result<Cluster> {
        Cluster::take(|out| unsafe { sys::percale_cluster_create(out) })
    }

    /// From the JSON of `TF_CONFIG`.
    pub fn from_json(json: &str) -> Result<Cluster> {
        Cluster::take(|out| unsafe { sys::percale_cluster_from_json(json.as_ptr().cast(), json.len(), out) })
    }

    /// From the process's environment: `TF_CONFIG`, `SLURM_*`, `RANK` and `WORLD_SIZE`, `OMPI_*`.
    pub fn from_environment() -> Result<Cluster> {
        Cluster::take(|out| unsafe { sys::percale_cluster_from_environment(out) })
    }

    fn take(make: impl FnOnce(*mut *mut sys::percale_cluster) -> *mut sys::percale_status) -> Result<Cluster> {
        crate::ensure_loaded()?;
        let mut raw = std::ptr::null_mut();
        check(make(&mut raw))?;
        // SAFETY: it was just made.
        Ok(Cluster { handle: unsafe { Handle::new(raw) } })
    }

    /// Adds a task of a job at an address, `host:port`.
    pub fn add_task(&mut self, job: &str, task: i64, address: &str) -> Result<()> {
        let (job, address) = (CString::new(job)?, CString::new(address)?);
        // SAFETY: texts that end with NUL.
        check(unsafe { sys::percale_cluster_add_task(self.handle.get(), job.as_ptr(), task, address.as_ptr()) })
    }

    /// Says which task this process is.
    pub fn set_role(&mut self, job: &str, task: i64) -> Result<()> {
        let job = CString::new(job)?;
        // SAFETY: a text that ends with NUL.
        check(unsafe { sys::percale_cluster_set_role(self.handle.get(), job.as_ptr(), task) })
    }

    /// The names of the jobs.
    pub fn jobs(&self) -> Vec<String> {
        // SAFETY: the names live as long as the cluster is not changed and are copied.
        unsafe {
            let count = sys::percale_cluster_job_count(self.handle.get());
            (0..count)
                .filter_map(|index| borrowed_text(sys::percale_cluster_get_job(self.handle.get(), index)))
                .collect()
        }
    }

    /// One more than the highest number of a task; 0 for an unknown job.
    pub fn task_count(&self, job: &str) -> i64 {
        // SAFETY: a text that ends with NUL.
        CString::new(job).map_or(0, |job| unsafe { sys::percale_cluster_task_count(self.handle.get(), job.as_ptr()) })
    }

    /// `host:port`, empty where the source does not tell it, nothing when there is no such task.
    pub fn address(&self, job: &str, task: i64) -> Option<String> {
        let job = CString::new(job).ok()?;
        // SAFETY: a text that ends with NUL; what comes back is copied.
        unsafe { borrowed_text(sys::percale_cluster_get_address(self.handle.get(), job.as_ptr(), task)) }
    }

    /// The own job (empty when none was given) and task.
    pub fn role(&self) -> (String, i64) {
        let mut task = 0;
        // SAFETY: what comes back is copied.
        let job = unsafe { borrowed_text(sys::percale_cluster_get_role(self.handle.get(), &mut task)) };
        (job.unwrap_or_default(), task)
    }
}
