//! Servers of the devices of an engine.
use std::ffi::CString;
use std::path::Path;
use std::time::Duration;

use crate::engine::Engine;
use crate::error::{check, path_text, Result};
use crate::event::nanoseconds;
use crate::handle::Handle;
use crate::sys;

/// Serves the devices of an engine to other processes. They name them in
/// [`devices`](crate::EngineBuilder::devices) of their engines, as `remote:HOST:PORT/cpu:0`. The
/// server keeps the engine alive. Dropping it ends the connections of all clients, whose devices
/// are lost then.
///
/// ```no_run
/// let engine = percale::Engine::new()?;
/// let server = percale::Server::new(&engine, "127.0.0.1:2222", None)?;
/// server.wait(None)?;
/// # Ok::<(), percale::Error>(())
/// ```
pub struct Server {
    handle: Handle<sys::percale_server>,
}

impl Server {
    /// Serves all devices of the engine at `host:port` or `unix:path`. Port 0 means any free one.
    /// `certificates` is the folder as for
    /// [`Cluster::set_certificates`](crate::Cluster::set_certificates); `None` means none, and then
    /// only addresses of this machine are allowed. The memory of the clients counts towards the
    /// engine's memory limit. The code of an error is `Unimplemented` if no plug-in connects
    /// processes, and `Unavailable` if the address is taken.
    pub fn new(engine: &Engine, address: &str, certificates: Option<&Path>) -> Result<Server> {
        let address = CString::new(address)?;
        let folder = certificates.map(path_text).transpose()?;
        let folder = folder.as_ref().map_or(std::ptr::null(), |folder| folder.as_ptr());
        let mut raw = std::ptr::null_mut();
        // SAFETY: the texts are NUL-terminated and outlive the call. The handle is wrapped at once.
        unsafe {
            check(sys::percale_server_create(engine.handle.get(), address.as_ptr(), folder, &mut raw))?;
            Ok(Server { handle: Handle::new(raw) })
        }
    }

    /// Returns the port at which clients reach the server; 0 for a Unix socket.
    pub fn port(&self) -> u16 {
        // SAFETY: the server is alive. A port has 16 bits.
        unsafe { sys::percale_server_port(self.handle.get()) as u16 }
    }

    /// Waits until clients have come and all of them have gone, but no longer than `timeout`
    /// (`None`: without limit). The code of an error is `DeadlineExceeded` if that is not so by
    /// then, and `Unavailable` if the last client has not closed its devices: its process or the
    /// connection was lost.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<()> {
        // SAFETY: the server is alive.
        check(unsafe { sys::percale_server_wait(self.handle.get(), nanoseconds(timeout)) })
    }
}
