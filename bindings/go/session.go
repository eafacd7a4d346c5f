package percale

// #include <percale.h>
// void go_percale_ready(void* user);
import "C"

import (
	"context"
	"sort"
	"unsafe"
)

// Feeds maps names of values to tensors.
type Feeds map[string]*Tensor

// split returns the names in ascending order, and their tensors.
func (f Feeds) split() ([]string, []*Tensor) {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	sort.Strings(names)
	tensors := make([]*Tensor, len(names))
	for i, name := range names {
		tensors[i] = f[name]
	}
	return names, tensors
}

// enter returns the names in ascending order, and the pointers of the tensors for one call. leave
// ends their use.
func (f Feeds) enter() (names []string, c []*C.percale_tensor, leave func(), err error) {
	names, tensors := f.split()
	c, leave, err = enterTensors(tensors)
	return names, c, leave, err
}

// Session runs a graph. Any number of goroutines may run it concurrently.
type Session struct{ owner }

func releaseSession(p unsafe.Pointer) { sessionRelease((*C.percale_session)(p)) }

// NewSession creates a session. Variables may be nil if the graph has none. Options may be nil.
func NewSession(engine *Engine, graph *Graph, variables *Variables, options Options) (*Session, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	g, err := graph.enter()
	if err != nil {
		return nil, err
	}
	defer graph.done()
	v, leave, err := variables.enterOrNil()
	if err != nil {
		return nil, err
	}
	defer leave()
	o, err := options.make("session")
	if err != nil {
		return nil, err
	}
	defer optionsRelease(o)
	p, err := sessionCreate(e, g, v, o)
	if err != nil {
		return nil, err
	}
	s := &Session{}
	return own(s, &s.owner, "session", unsafe.Pointer(p), releaseSession), nil
}

func (s *Session) enter() (*C.percale_session, error) {
	if s == nil {
		return nil, errorf(InvalidArgument, "the session is nil")
	}
	p, err := s.use()
	return (*C.percale_session)(p), err
}

// Run computes the fetches and returns a new tensor for each. Any value of the graph may be fed or
// fetched. When ctx ends, the run ends too, inside a kernel if necessary; other runs of the session
// continue. If ctx has already ended, the run does not start.
func (s *Session) Run(ctx context.Context, feeds Feeds, fetches ...string) ([]*Tensor, error) {
	return s.RunTargets(ctx, feeds, fetches, nil)
}

// RunTargets is Run with targets: names of nodes to run without fetching an output, such as
// "train_step".
func (s *Session) RunTargets(ctx context.Context, feeds Feeds, fetches, targets []string) ([]*Tensor, error) {
	results, _, err := s.RunVersioned(ctx, feeds, fetches, targets)
	return results, err
}

// RunVersioned is RunTargets that also returns the version of the variables that the run read. It
// is 0 for a graph without variables.
func (s *Session) RunVersioned(ctx context.Context, feeds Feeds, fetches, targets []string) ([]*Tensor, int64, error) {
	timeout, err := timeLeft(ctx)
	if err != nil {
		return nil, 0, err
	}
	if ctx.Done() != nil {
		return s.runUntil(ctx, feeds, fetches, targets, timeout)
	}
	c, err := s.enter()
	if err != nil {
		return nil, 0, err
	}
	defer s.done()
	names, in, leave, err := feeds.enter()
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	out, version, err := sessionRunVersioned(c, names, in, fetches, targets, timeout)
	if err != nil {
		return nil, 0, asContextError(ctx, err)
	}
	return newTensors(out), version, nil
}

// runUntil is RunVersioned on a thread of the engine, so that ctx can end the run.
func (s *Session) runUntil(ctx context.Context, feeds Feeds, fetches, targets []string, timeout int64) ([]*Tensor, int64, error) {
	event, err := s.start(feeds, fetches, targets, timeout)
	if err != nil {
		return nil, 0, err
	}
	defer event.Close()
	if err := event.Wait(ctx); err != nil {
		return nil, 0, err
	}
	version, err := event.VariablesVersion()
	if err != nil {
		return nil, 0, err
	}
	results, err := event.results(len(fetches))
	return results, version, err
}

// predict runs the rows of x in batches and concatenates the results.
func (s *Session) predict(ctx context.Context, engine *Engine, input, output string, x *Tensor, batchSize int64) (*Tensor, error) {
	data, err := DatasetFromTensors(engine, Feeds{input: x})
	if err != nil {
		return nil, err
	}
	defer data.Close()
	if _, err := data.Batch(batchSize); err != nil {
		return nil, err
	}
	var out *Tensor
	var rest []byte
	for batch, err := range data.Epoch() {
		if err != nil {
			return nil, err
		}
		results, err := s.Run(ctx, Feeds{input: batch[0]}, output)
		batch[0].Close()
		if err != nil {
			return nil, err
		}
		if out == nil {
			dims := results[0].Dims()
			dims[0] = data.Rows()
			if out, err = NewTensor(engine, results[0].DType(), dims...); err != nil {
				return nil, err
			}
			rest = out.bytes()
		}
		rest = rest[copy(rest, results[0].bytes()):]
		results[0].Close()
	}
	return out, nil
}

func newTensors(c []*C.percale_tensor) []*Tensor {
	out := make([]*Tensor, len(c))
	for i, p := range c {
		out[i] = newTensor(p)
	}
	return out
}

// Start begins a run on a thread of the engine. The library holds the feeds until the run is over.
func (s *Session) Start(feeds Feeds, fetches, targets []string) (*Event, error) {
	return s.start(feeds, fetches, targets, forever)
}

func (s *Session) start(feeds Feeds, fetches, targets []string, timeout int64) (*Event, error) {
	c, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer s.done()
	names, in, leave, err := feeds.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := sessionRunAsync(c, names, in, fetches, targets, timeout)
	if err != nil {
		return nil, err
	}
	return newEvent(p)
}

// Cancel ends all current runs of the session with code Cancelled. Later runs are not affected.
// After Close, it ends the runs that still use the session.
func (s *Session) Cancel() {
	if s == nil {
		return
	}
	if p, there := s.ending(); there {
		defer s.done()
		sessionCancel((*C.percale_session)(p))
	}
}

// Explain returns, as JSON, details of the plan for feeds of these types. What is "plan", "kernels"
// or "passes".
func (s *Session) Explain(feeds []TensorType, fetches []string, what string) (string, error) {
	c, err := s.enter()
	if err != nil {
		return "", err
	}
	defer s.done()
	names, dtypes, dims := splitTypes(feeds)
	return sessionExplain(c, names, dtypes, dims, ranksOf(dims), fetches, what)
}

// Draw returns a drawing of the plan for feeds of these types. The format is "svg" or "html"; the
// HTML page supports panning, zoom, search and folding. Trace is "" or the JSON of a Trace, whose
// times are then shown at the nodes.
func (s *Session) Draw(feeds []TensorType, fetches []string, format, trace string) (string, error) {
	c, err := s.enter()
	if err != nil {
		return "", err
	}
	defer s.done()
	names, dtypes, dims := splitTypes(feeds)
	return sessionDraw(c, names, dtypes, dims, ranksOf(dims), fetches, format, trace)
}

// Stats returns statistics as JSON: plans made, cache hits, runs, planned and measured memory.
func (s *Session) Stats() (string, error) {
	c, err := s.enter()
	if err != nil {
		return "", err
	}
	defer s.done()
	return sessionStats(c)
}

// SetTrace records the session's activity in trace from now on. A nil trace ends the recording.
func (s *Session) SetTrace(trace *Trace) error {
	c, err := s.enter()
	if err != nil {
		return err
	}
	defer s.done()
	t, leave, err := trace.enterOrNil()
	if err != nil {
		return err
	}
	defer leave()
	sessionSetTrace(c, t)
	return nil
}

// Event represents a run that Start began. Any number of goroutines may use it.
type Event struct {
	owner
	ready chan struct{}
}

func releaseEvent(p unsafe.Pointer) { eventRelease((*C.percale_event)(p)) }

func newEvent(p *C.percale_event) (*Event, error) {
	e := &Event{ready: make(chan struct{})}
	own(e, &e.owner, "event", unsafe.Pointer(p), releaseEvent)
	id := register(e.ready)
	if err := eventOnReady(p, C.percale_event_callback(C.go_percale_ready), id); err != nil {
		unregister(id)
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *Event) enter() (*C.percale_event, error) {
	p, err := e.use()
	return (*C.percale_event)(p), err
}

// Done returns a channel that is closed when the run is over.
func (e *Event) Done() <-chan struct{} { return e.ready }

// Wait waits for the run and returns its error. If ctx ends first, Wait cancels the run and waits
// for its end. If ctx has already ended, Wait returns its error even if the run is over; Result
// still returns the results.
func (e *Event) Wait(ctx context.Context) error {
	c, err := e.enter()
	if err != nil {
		return err
	}
	defer e.done()
	if _, err := timeLeft(ctx); err != nil {
		eventCancel(c)
		<-e.ready
		return err
	}
	select {
	case <-e.ready:
	case <-ctx.Done():
		eventCancel(c)
		<-e.ready
	}
	return asContextError(ctx, eventWait(c, forever))
}

// Cancel ends the run with code Cancelled.
func (e *Event) Cancel() {
	if e == nil {
		return
	}
	if p, there := e.ending(); there {
		defer e.done()
		eventCancel((*C.percale_event)(p))
	}
}

// VariablesVersion returns the version of the variables that the run read. It is 0 before the run
// is over.
func (e *Event) VariablesVersion() (int64, error) {
	c, err := e.enter()
	if err != nil {
		return 0, err
	}
	defer e.done()
	return eventVariablesVersion(c), nil
}

// Result returns a result of a run that succeeded.
func (e *Event) Result(index int) (*Tensor, error) {
	c, err := e.enter()
	if err != nil {
		return nil, err
	}
	defer e.done()
	p, err := eventResult(c, index)
	if err != nil {
		return nil, err
	}
	return newTensor(p), nil
}

func (e *Event) results(count int) ([]*Tensor, error) {
	out := make([]*Tensor, count)
	for i := range out {
		t, err := e.Result(i)
		if err != nil {
			for _, made := range out[:i] {
				made.Close()
			}
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}
