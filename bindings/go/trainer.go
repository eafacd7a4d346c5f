package percale

// #include <percale.h>
// int32_t go_percale_progress(void* user, const percale_progress* progress);
import "C"

import (
	"context"
	"encoding/json"
	"math"
	"sync/atomic"
	"unsafe"
)

// Trainer trains the variables of a graph. For one goroutine at a time, Cancel excepted; a second
// one gets an error with code FailedPrecondition.
type Trainer struct {
	owner
	engine     *Engine
	validation *Dataset
	busy       atomic.Bool // Step, Fit, Evaluate or SetValidation is under way
}

func releaseTrainer(p unsafe.Pointer) { trainerRelease((*C.percale_trainer)(p)) }

func newTrainer(engine *Engine, p *C.percale_trainer, err error) (*Trainer, error) {
	if err != nil {
		return nil, err
	}
	t := &Trainer{engine: engine}
	return own(t, &t.owner, "trainer", unsafe.Pointer(p), releaseTrainer), nil
}

func (t *Trainer) enter() (*C.percale_trainer, error) {
	if t == nil {
		return nil, errorf(InvalidArgument, "the trainer is nil")
	}
	p, err := t.use()
	return (*C.percale_trainer)(p), err
}

// begin is enter for a call that makes steps, which ends with end.
func (t *Trainer) begin() (*C.percale_trainer, error) {
	c, err := t.enter()
	if err == nil && !t.busy.CompareAndSwap(false, true) {
		t.done()
		return nil, errorf(FailedPrecondition, "the trainer is used by another goroutine, or in the callback of its Fit: one call at a time may make steps")
	}
	return c, err
}

func (t *Trainer) end() {
	t.busy.Store(false)
	t.done()
}

// NewTrainer trains a graph whose inputs are the data's columns and which has an output that is the scalar loss. Variables
// and options (loss, optimizer, schedule, devices, freeze, ...) may be nil.
func NewTrainer(engine *Engine, graph *Graph, variables *Variables, options Options) (*Trainer, error) {
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
	o, err := options.make("trainer")
	if err != nil {
		return nil, err
	}
	defer optionsRelease(o)
	p, err := trainerCreate(e, g, v, o)
	return newTrainer(engine, p, err)
}

// SpecFolders say where relative paths of a SPEC are looked up, besides PERCALE_DATA and the cache. Both may be "".
type SpecFolders struct {
	Spec, Data string // the folder of the SPEC, and where data files are looked up first
}

// TrainerFromSpec makes a trainer from a SPEC (JSON): model, loss, metrics, optimizer, data. Options override it.
func TrainerFromSpec(engine *Engine, spec []byte, folders SpecFolders, options Options) (*Trainer, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	o, err := options.make("trainer")
	if err != nil {
		return nil, err
	}
	defer optionsRelease(o)
	p, err := trainerFromSpec(e, string(spec), folders.Spec, folders.Data, o)
	return newTrainer(engine, p, err)
}

// Step is one step on one global batch; it gives the batch's mean loss before the update. Cancel ends it.
func (t *Trainer) Step(batch Feeds) (loss float64, err error) {
	c, err := t.begin()
	if err != nil {
		return 0, err
	}
	defer t.end()
	names, tensors := batch.split()
	in, leave, err := enterTensors(tensors)
	if err != nil {
		return 0, err
	}
	defer leave()
	return trainerStep(c, names, in)
}

// StepFetch is Step; it also gives values that the batch's forward pass computed, in its form for training and before the
// update, one new tensor per fetch: outputs of Model, and other values of the graph that the loss needs, by name. Their rows
// are those of the batch.
func (t *Trainer) StepFetch(batch Feeds, fetches ...string) (loss float64, values []*Tensor, err error) {
	c, err := t.begin()
	if err != nil {
		return 0, nil, err
	}
	defer t.end()
	names, tensors := batch.split()
	in, leave, err := enterTensors(tensors)
	if err != nil {
		return 0, nil, err
	}
	defer leave()
	out := make([]*C.percale_tensor, len(fetches))
	if loss, err = trainerStepFetch(c, names, in, fetches, out); err != nil {
		return 0, nil, err
	}
	return loss, newTensors(out), nil
}

// Progress is what Fit tells after each step.
type Progress struct {
	Epoch, Epochs             int64              // from 1
	Step, Steps               int64              // over the whole run, from 1; Steps = 0 when not known
	StepInEpoch, StepsInEpoch int64              // from 1
	Loss, LearningRate        float64            // of this step
	EpochLoss                 float64            // the mean over the epoch's rows so far, each before its update
	RowsPerSecond             float64            // the speed
	Seconds, ETASeconds       float64            // since the start, until the end
	EpochEnded                bool               // the metrics are there
	Metrics                   map[string]float64 // by name, at the end of an epoch
}

// fitting is a Fit under way.
type fitting struct {
	progress func(Progress) bool
	panicked any
}

func (f *fitting) tell(p *C.percale_progress) (more bool) {
	defer func() {
		// A panic must not go through C; Fit goes on with it.
		if f.panicked = recover(); f.panicked != nil {
			more = false
		}
	}()
	out := Progress{
		Epoch: int64(p.epoch), Epochs: int64(p.epochs), Step: int64(p.step), Steps: int64(p.steps),
		StepInEpoch: int64(p.step_in_epoch), StepsInEpoch: int64(p.steps_in_epoch),
		Loss: float64(p.loss), EpochLoss: float64(p.epoch_loss), LearningRate: float64(p.learning_rate), RowsPerSecond: float64(p.rows_per_second),
		Seconds: float64(p.seconds), ETASeconds: float64(p.eta_seconds), EpochEnded: p.epoch_ended != 0,
	}
	if out.EpochEnded && p.metric_count > 0 {
		names := unsafe.Slice(p.metric_names, int(p.metric_count))
		values := unsafe.Slice(p.metric_values, int(p.metric_count))
		out.Metrics = make(map[string]float64, len(names))
		for i, name := range names {
			out.Metrics[C.GoString(name)] = float64(values[i])
		}
	}
	return f.progress(out)
}

// Fit trains over the data until so many epochs are done (0: as the SPEC says), those of earlier calls and of a restored checkpoint
// included: after Fit(…, 1) another does nothing, and Fit(…, 2) one more. Data may be nil for a SPEC with data,
// progress always; progress gives false to stop after this step. Within progress Save, Publish, SetLearningRate, Cancel, Close,
// Describe, History, Model, Variables and Steps of the trainer may be called; Step, Fit, Evaluate, Restore, SetValidation and
// LockFolder, and Batch and batches of the data, give code FailedPrecondition, and SetTrace does nothing. When ctx ends the step under way does too, and the state
// is that of the last completed step: of the step that progress was told of where progress ends ctx. Under a ctx that has ended
// there is none.
func (t *Trainer) Fit(ctx context.Context, data *Dataset, epochs int64, progress func(Progress) bool) error {
	c, err := t.begin()
	if err != nil {
		return err
	}
	defer t.end()
	d, leave, err := data.enterOrNil()
	if err != nil {
		return err
	}
	defer leave()
	if _, err := timeLeft(ctx); err != nil {
		return err
	}
	stopping, stop, err := t.cancelWith(ctx, c)
	if err != nil {
		return err
	}
	fit := &fitting{progress: func(p Progress) bool {
		more := progress(p)
		if ctx.Err() != nil {
			cancellationCancel(stopping) // at once: the context's own goroutine may come many steps later
		}
		return more
	}}
	id := remember(fit)
	defer forgetSink(id)
	var callback C.percale_progress_callback
	if progress != nil {
		callback = C.percale_progress_callback(C.go_percale_progress)
	}
	err = trainerFit(c, d, epochs, callback, id)
	stop()
	if fit.panicked != nil {
		panic(fit.panicked)
	}
	return ended(ctx, append(data.functions(), t.validation.functions()...).explain(err))
}

// cancelWith ends the call that follows when ctx ends, until stop, by a cancellation: none for a ctx that never ends.
func (t *Trainer) cancelWith(ctx context.Context, c *C.percale_trainer) (stopping *C.percale_cancellation, stop func(), err error) {
	if ctx.Done() == nil {
		return nil, func() {}, nil
	}
	stopping, forget, err := cancelWith(ctx)
	if err != nil {
		return nil, nil, err
	}
	trainerSetCancellation(c, stopping)
	return stopping, func() {
		trainerSetCancellation(c, nil)
		forget()
	}, nil
}

// SetValidation evaluates data after each epoch of Fit: "val_loss" and "val_" metrics join the history. Not
// during a call; nil: none.
func (t *Trainer) SetValidation(data *Dataset) error {
	c, err := t.begin()
	if err != nil {
		return err
	}
	defer t.end()
	d, leave, err := data.enterOrNil()
	if err != nil {
		return err
	}
	defer leave()
	if err := trainerSetValidation(c, d); err != nil {
		return err
	}
	t.validation = data
	return nil
}

// Evaluate gives loss and metrics over data (nil: the SPEC's test data) by name, NaN for what is no number. Cancel ends it.
func (t *Trainer) Evaluate(data *Dataset) (map[string]float64, error) {
	c, err := t.begin()
	if err != nil {
		return nil, err
	}
	defer t.end()
	d, leave, err := data.enterOrNil()
	if err != nil {
		return nil, err
	}
	defer leave()
	text, err := trainerEvaluate(c, d)
	if err != nil {
		return nil, data.functions().explain(err)
	}
	found := map[string]*float64{}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, errorf(Internal, "what the library says of the evaluation: %v", err)
	}
	out := make(map[string]float64, len(found))
	for name, value := range found {
		out[name] = math.NaN() // JSON has null for it, and for infinities
		if value != nil {
			out[name] = *value
		}
	}
	return out, nil
}

// Predict gives the model's first output for rows of its only input, in runs of so many rows, also
// before the first Fit.
func (t *Trainer) Predict(ctx context.Context, x *Tensor, batchSize int64) (*Tensor, error) {
	if err := t.Publish(); err != nil {
		return nil, err
	}
	graph, err := t.Model()
	if err != nil {
		return nil, err
	}
	defer graph.Close()
	variables, err := t.Variables()
	if err != nil {
		return nil, err
	}
	defer variables.Close()
	session, err := NewSession(t.engine, graph, variables, nil)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return session.predict(ctx, t.engine, graph.Inputs()[0], graph.Outputs()[0], x, batchSize)
}

// Publish lets sessions on the same variables see what was trained so far, in one piece.
func (t *Trainer) Publish() error {
	return t.with(func(c *C.percale_trainer) error { return trainerPublish(c) })
}

// SetLearningRate sets the optimizer's learning rate from the next step on, which the schedule begins with; also within the callback of Fit.
func (t *Trainer) SetLearningRate(rate float64) error {
	return t.with(func(c *C.percale_trainer) error { return trainerSetLearningRate(c, rate) })
}

// Cancel ends the call under way (Step, Fit, Evaluate) with code Cancelled, also after Close, whose memory goes after that
// call. Any goroutine.
func (t *Trainer) Cancel() {
	if t == nil {
		return
	}
	if p, there := t.ending(); there {
		defer t.done()
		trainerCancel((*C.percale_trainer)(p))
	}
}

// Save writes a checkpoint folder/step-N, whole or not at all.
func (t *Trainer) Save(folder string) error {
	return t.with(func(c *C.percale_trainer) error { return trainerSave(c, folder) })
}

// Restore takes up a checkpoint, folder/step-N, or the newest whole one of a folder: the same bits follow as without the
// interruption. Code FailedPrecondition names the first difference to a checkpoint of another job.
func (t *Trainer) Restore(path string) error {
	return t.with(func(c *C.percale_trainer) error { return trainerRestore(c, path) })
}

// LockFolder locks a folder for the run of this trainer until it is closed; Restore comes first. Code Unavailable names the process
// that has locked it, AlreadyExists a checkpoint of another run, which overwrite removes.
func (t *Trainer) LockFolder(folder string, overwrite bool) error {
	var flag int32
	if overwrite {
		flag = 1
	}
	return t.with(func(c *C.percale_trainer) error { return trainerLockFolder(c, folder, flag) })
}

func (t *Trainer) with(f func(c *C.percale_trainer) error) error {
	c, err := t.enter()
	if err != nil {
		return err
	}
	defer t.done()
	return f(c)
}

// Model is the graph for inference.
func (t *Trainer) Model() (*Graph, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	return newGraph(trainerModel(c))
}

// Variables is the table that is trained.
func (t *Trainer) Variables() (*Variables, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	return newVariables(trainerVariables(c))
}

// Steps were completed.
func (t *Trainer) Steps() int64 {
	c, err := t.enter()
	if err != nil {
		return 0
	}
	defer t.done()
	return trainerSteps(c)
}

// History is "csv", "svg" (a plot of the loss), or "events" (TensorBoard).
func (t *Trainer) History(format string) ([]byte, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	out, err := trainerHistory(c, format)
	return []byte(out), err
}

// Describe gives facts as JSON: parameters, shards, devices, batch size, optimizer, data.
func (t *Trainer) Describe() (string, error) {
	c, err := t.enter()
	if err != nil {
		return "", err
	}
	defer t.done()
	return trainerDescribe(c)
}

// SetTrace records what the trainer does from now on; nil ends it.
func (t *Trainer) SetTrace(trace *Trace) error {
	c, err := t.enter()
	if err != nil {
		return err
	}
	defer t.done()
	s, leave, err := trace.enterOrNil()
	if err != nil {
		return err
	}
	defer leave()
	trainerSetTrace(c, s)
	return nil
}

// Trace is spans of time, recorded while it is attached. Any goroutine may use it.
type Trace struct{ owner }

func releaseTrace(p unsafe.Pointer) { traceRelease((*C.percale_trace)(p)) }

// NewTrace makes an empty trace.
func NewTrace(engine *Engine) (*Trace, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	p, err := traceCreate(e)
	if err != nil {
		return nil, err
	}
	t := &Trace{}
	return own(t, &t.owner, "trace", unsafe.Pointer(p), releaseTrace), nil
}

func (t *Trace) enterOrNil() (c *C.percale_trace, leave func(), err error) {
	if t == nil {
		return nil, func() {}, nil
	}
	p, err := t.use()
	return (*C.percale_trace)(p), func() { t.done() }, err
}

// JSON is the form that Chrome and Perfetto open.
func (t *Trace) JSON() (string, error) {
	c, leave, err := t.enterOrNil()
	if err != nil {
		return "", err
	}
	defer leave()
	return traceJson(c)
}
