package percale

// #include <percale.h>
import "C"

import (
	"context"
	"errors"
	"time"
	"unsafe"
)

// Server serves the devices of an engine to other processes. They name them in the option "devices"
// of their engines, as "remote:HOST:PORT/cpu:0". Any number of goroutines may use it. It keeps the
// engine alive.
//
//	server, err := percale.NewServer(engine, "127.0.0.1:2222", "")
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	return server.Wait(ctx)
//
// Close ends the connections of all clients, whose devices are lost then. A Wait in progress
// returns an error with code FailedPrecondition.
type Server struct{ owner }

func releaseServer(p unsafe.Pointer) { serverRelease((*C.percale_server)(p)) }

// NewServer serves all devices of the engine at "host:port" or "unix:path". Port 0 means any free
// one. Certificates is the folder as for Cluster.SetCertificates; "" means none, and then only
// addresses of this machine are allowed. The memory of the clients counts towards the engine's
// memory limit. The code of an error is Unimplemented if no plug-in connects processes, and
// Unavailable if the address is taken.
func NewServer(engine *Engine, address, certificates string) (*Server, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	p, err := serverCreate(e, address, certificates)
	if err != nil {
		return nil, err
	}
	s := &Server{}
	return own(s, &s.owner, "server", unsafe.Pointer(p), releaseServer), nil
}

func (s *Server) enter() (*C.percale_server, error) {
	if s == nil {
		return nil, errorf(InvalidArgument, "the server is nil")
	}
	p, err := s.use()
	return (*C.percale_server)(p), err
}

// Port returns the port at which clients reach the server. It is 0 for a Unix socket and for a
// closed server.
func (s *Server) Port() int {
	p, err := s.enter()
	if err != nil {
		return 0
	}
	defer s.done()
	return int(serverPort(p))
}

// serverWaitPart is the longest time that one call of the library waits. Between two calls, Wait
// looks at its context and at Close.
const serverWaitPart = 100 * time.Millisecond

// Wait waits until clients have come and all of them have gone. When ctx ends, Wait ends, and the
// server goes on. The code of an error is Unavailable if the last client has not closed its
// devices: its process or the connection was lost.
func (s *Server) Wait(ctx context.Context) error {
	for {
		timeout, err := timeLeft(ctx)
		if err != nil {
			return err
		}
		part := int64(serverWaitPart)
		if timeout != forever {
			part = min(part, timeout)
		}
		if err = s.waitFor(part); !errors.Is(err, DeadlineExceeded) {
			return err
		}
	}
}

func (s *Server) waitFor(timeout int64) error {
	p, err := s.enter()
	if err != nil {
		return err
	}
	defer s.done()
	return serverWait(p, timeout)
}
