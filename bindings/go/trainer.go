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

// Trainer trains the variables of a graph. Only one goroutine may use it at a time, except that
// Cancel may be called at any time. A second goroutine gets an error with code FailedPrecondition.
type Trainer struct {
	owner
	engine     *Engine
	validation *Dataset
	group      *membership // nil: the trainer is alone
	busy       atomic.Bool // Step, Fit, Evaluate or SetValidation is running
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

// begin is enter for calls that run steps. The caller must call end afterwards.
func (t *Trainer) begin() (*C.percale_trainer, error) {
	c, err := t.enter()
	if err == nil && !t.busy.CompareAndSwap(false, true) {
		t.done()
		return nil, errorf(FailedPrecondition, "the trainer is used by another goroutine, or in the callback of its Fit: only one call may run steps at a time")
	}
	return c, err
}

func (t *Trainer) end() {
	t.busy.Store(false)
	t.done()
}

// NewTrainer creates a trainer for a graph. The inputs of the graph are the columns of the data,
// and one output is the scalar loss. Variables and options (loss, optimizer, schedule, devices,
// freeze, ...) may be nil.
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

// SpecFolders are folders to search for relative paths of a SPEC, besides PERCALE_DATA and the
// cache. Both may be "". Without Spec, the current folder is searched.
type SpecFolders struct {
	Spec, Data string // the folder of the SPEC, and the first folder to search for data files
}

// TrainerFromSpec creates a trainer from a SPEC (JSON): model, loss, metrics, optimizer, data.
// Options override the SPEC.
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

// Step runs one training step on one global batch. It returns the mean loss of the batch before the
// update. Cancel ends it.
func (t *Trainer) Step(batch Feeds) (loss float64, err error) {
	c, err := t.begin()
	if err != nil {
		return 0, err
	}
	defer t.end()
	names, in, leave, err := batch.enter()
	if err != nil {
		return 0, err
	}
	defer leave()
	loss, err = trainerStep(c, names, in)
	return loss, t.group.explain(err)
}

// StepFetch is Step and also returns values of the forward pass, one new tensor per fetch. They are
// computed in training mode, before the update, and have one row per row of the batch. Fetches are
// names of outputs of Model, or of other values that the loss depends on.
func (t *Trainer) StepFetch(batch Feeds, fetches ...string) (loss float64, values []*Tensor, err error) {
	c, err := t.begin()
	if err != nil {
		return 0, nil, err
	}
	defer t.end()
	names, in, leave, err := batch.enter()
	if err != nil {
		return 0, nil, err
	}
	defer leave()
	out := make([]*C.percale_tensor, len(fetches))
	if loss, err = trainerStepFetch(c, names, in, fetches, out); err != nil {
		return 0, nil, t.group.explain(err)
	}
	return loss, newTensors(out), nil
}

// Progress describes a completed step of Fit.
type Progress struct {
	Epoch, Epochs             int64              // from 1
	Step, Steps               int64              // in the whole run, from 1; Steps is 0 if unknown
	StepInEpoch, StepsInEpoch int64              // from 1
	Loss, LearningRate        float64            // of this step
	EpochLoss                 float64            // mean over the rows of the epoch so far
	RowsPerSecond             float64            // speed
	Seconds, ETASeconds       float64            // since the start, and until the end
	EpochEnded                bool               // Metrics is set
	Metrics                   map[string]float64 // by name, at the end of an epoch
}

// fitting is the state of a call of Fit.
type fitting struct {
	progress func(Progress) bool
	panicked any
}

func (f *fitting) tell(p *C.percale_progress) (more bool) {
	defer func() {
		// A panic must not unwind through C. Fit re-raises it.
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

// Fit trains on data until this number of epochs is done (0: as the SPEC says). Epochs of earlier
// calls and of a restored checkpoint count: after Fit(…, 1), another Fit(…, 1) does nothing, and
// Fit(…, 2) trains one more epoch. Data may be nil for a SPEC with data.
//
// Fit calls progress (may be nil) after each step. If it returns false, the training stops after
// this step and Fit returns nil. Within progress, these methods of the trainer may be called: Save,
// Publish, SetLearningRate, Cancel, Close, Describe, History, Model, Variables and Steps. Step,
// Fit, Evaluate, Restore, SetValidation and LockFolder fail with code FailedPrecondition, as do
// Batch and Next of the data. SetTrace has no effect.
//
// When ctx ends, Fit ends within the current step, and the state is that of the last completed
// step. If progress ends ctx, that is the step it was called for. If ctx has already ended, no step
// runs.
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
			cancellationCancel(stopping) // the goroutine of ctx may run many steps later
		}
		return more
	}}
	id := register(fit)
	defer unregister(id)
	var callback C.percale_progress_callback
	if progress != nil {
		callback = C.percale_progress_callback(C.go_percale_progress)
	}
	err = trainerFit(c, d, epochs, callback, id)
	stop()
	if fit.panicked != nil {
		panic(fit.panicked)
	}
	err = append(data.functions(), t.validation.functions()...).explain(err)
	return asContextError(ctx, t.group.explain(err))
}

// cancelWith makes the next call end when ctx ends, through a cancellation token, until stop. It
// does nothing for a ctx that never ends.
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

// SetValidation sets data that Fit evaluates after each epoch. The history then has "val_loss" and
// "val_" metrics. Nil removes the data. It must not be called during Fit.
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

// Evaluate returns the loss and metrics over data by name (nil: the test data of the SPEC). A value
// that is not finite is NaN. Cancel ends the evaluation.
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
		return nil, t.group.explain(data.functions().explain(err))
	}
	found := map[string]*float64{}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, errorf(Internal, "the JSON of the evaluation is invalid: %v", err)
	}
	out := make(map[string]float64, len(found))
	for name, value := range found {
		out[name] = math.NaN() // JSON has null for NaN and infinities
		if value != nil {
			out[name] = *value
		}
	}
	return out, nil
}

// Predict returns the first output of the model for the rows of its only input, in batches of
// batchSize rows. It also works before the first Fit.
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

// Publish makes the trained values visible to sessions on the same variables, as one new version.
func (t *Trainer) Publish() error {
	return t.with(func(c *C.percale_trainer) error { return trainerPublish(c) })
}

// SetLearningRate sets the learning rate of the optimizer from the next step on. The
// schedule applies to this rate. It may be called from the callback of Fit.
func (t *Trainer) SetLearningRate(rate float64) error {
	return t.with(func(c *C.percale_trainer) error { return trainerSetLearningRate(c, rate) })
}

// Cancel ends the current call (Step, Fit, Evaluate) with code Cancelled. Any goroutine may call
// it, also after Close.
func (t *Trainer) Cancel() {
	if t == nil {
		return
	}
	if p, there := t.ending(); there {
		defer t.done()
		trainerCancel((*C.percale_trainer)(p))
	}
}

// Save writes a checkpoint folder/step-N atomically.
func (t *Trainer) Save(folder string) error {
	return t.with(func(c *C.percale_trainer) error { return trainerSave(c, folder) })
}

// Restore loads a checkpoint: folder/step-N, or the newest intact one of a folder. Training then
// continues with the same bits as without the interruption. If the checkpoint belongs to another
// job, an error with code FailedPrecondition names the first difference.
func (t *Trainer) Restore(path string) error {
	return t.with(func(c *C.percale_trainer) error { return trainerRestore(c, path) })
}

// LockFolder locks a folder for this trainer until it is closed. Call Restore first. An error with
// code Unavailable names the process that holds the lock. The code is AlreadyExists if the folder
// has checkpoints of another run; overwrite removes them instead.
func (t *Trainer) LockFolder(folder string, overwrite bool) error {
	return t.with(func(c *C.percale_trainer) error { return trainerLockFolder(c, folder, flag(overwrite)) })
}

func (t *Trainer) with(f func(c *C.percale_trainer) error) error {
	c, err := t.enter()
	if err != nil {
		return err
	}
	defer t.done()
	return t.group.explain(f(c))
}

// Model returns the graph for inference.
func (t *Trainer) Model() (*Graph, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	return newGraph(trainerModel(c))
}

// Variables returns the table that the trainer trains.
func (t *Trainer) Variables() (*Variables, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	return newVariables(trainerVariables(c))
}

// Steps returns the number of completed steps.
func (t *Trainer) Steps() int64 {
	c, err := t.enter()
	if err != nil {
		return 0
	}
	defer t.done()
	return trainerSteps(c)
}

// History returns the history as "csv", "svg" (a plot of the loss) or "events" (TensorBoard).
func (t *Trainer) History(format string) ([]byte, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	out, err := trainerHistory(c, format)
	return []byte(out), err
}

// Describe returns facts as JSON: parameters, shards, devices, batch size, optimizer, data.
func (t *Trainer) Describe() (string, error) {
	c, err := t.enter()
	if err != nil {
		return "", err
	}
	defer t.done()
	return trainerDescribe(c)
}

// SetTrace records the trainer's activity in trace from now on. A nil trace ends the recording.
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

// Trace records time spans while it is attached to a session or trainer. Any number of goroutines
// may use it.
type Trace struct{ owner }

func releaseTrace(p unsafe.Pointer) { traceRelease((*C.percale_trace)(p)) }

// NewTrace returns an empty trace.
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

// JSON returns the trace in the format that Chrome and Perfetto open.
func (t *Trace) JSON() (string, error) {
	c, leave, err := t.enterOrNil()
	if err != nil {
		return "", err
	}
	defer leave()
	return traceJson(c)
}
