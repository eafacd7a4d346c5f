package percale

// #include <percale.h>
// void go_percale_log(void* user, int32_t level, const char* message, size_t size);
// void go_percale_destroy(void* user);
import "C"

import (
	"fmt"
	"sort"
	"unsafe"
)

// Options maps option keys to strings, integers, floats or booleans. DescribeOptions lists the
// keys. An unknown key is an error that names the most similar key.
type Options map[string]any

// make returns the C options of a kind, which the caller must release, or nil for empty options.
func (o Options) make(kind string) (*C.percale_options, error) {
	if len(o) == 0 {
		return nil, nil
	}
	return o.makeAlways(kind)
}

func (o Options) makeAlways(kind string) (*C.percale_options, error) {
	out, err := optionsCreate(kind)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(o))
	for key := range o {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		switch value := o[key].(type) {
		case string:
			err = optionsSet(out, key, value)
		case bool:
			err = optionsSet(out, key, map[bool]string{false: "off", true: "on"}[value])
		case int:
			err = optionsSetInt(out, key, int64(value))
		case int32:
			err = optionsSetInt(out, key, int64(value))
		case int64:
			err = optionsSetInt(out, key, value)
		case float32:
			err = optionsSetFloat(out, key, float64(value))
		case float64:
			err = optionsSetFloat(out, key, value)
		default:
			err = errorf(InvalidArgument, "option '%s' cannot be a %T", key, value)
		}
		if err != nil {
			optionsRelease(out)
			return nil, err
		}
	}
	return out, nil
}

// DescribeOptions returns all options of all kinds as JSON:
// [{"kind","key","type","default","doc"}].
func DescribeOptions() (string, error) { return optionsDescribe() }

// Version returns the version of the loaded library as "major.minor.patch".
func Version() string { return version() }

// Engine owns the devices, threads, registries and the memory limit. Any number of goroutines may
// use it, and several engines may exist in one process. Objects that are created with an engine
// keep it alive.
type Engine struct{ owner }

func releaseEngine(p unsafe.Pointer) { engineRelease((*C.percale_engine)(p)) }

// NewEngine creates an engine. It searches for plug-ins, which happens only here. The options may
// be nil. The settings are what the program supplies: OnExecutor, FromFiles.
func NewEngine(options Options, settings ...EngineSetting) (*Engine, error) {
	c, err := options.makeAlways("engine")
	if err != nil {
		return nil, err
	}
	defer optionsRelease(c)
	for _, set := range settings {
		if err := set(c); err != nil {
			return nil, err
		}
	}
	p, err := engineCreate(c)
	if err != nil {
		return nil, err
	}
	e := &Engine{}
	return own(e, &e.owner, "engine", unsafe.Pointer(p), releaseEngine), nil
}

func (e *Engine) enter() (*C.percale_engine, error) {
	if e == nil {
		return nil, errorf(InvalidArgument, "the engine is nil")
	}
	p, err := e.use()
	return (*C.percale_engine)(p), err
}

// Devices returns the names of the usable devices: "cpu:0", ...
func (e *Engine) Devices() []string {
	c, err := e.enter()
	if err != nil {
		return nil
	}
	defer e.done()
	out := make([]string, engineDeviceCount(c))
	for i := range out {
		out[i] = engineGetDeviceName(c, i)
	}
	return out
}

// Describe returns facts as JSON. What is "info", "ops", "layers", "passes", "kernels", "losses",
// "metrics", "optimizers", "schedules", "spec" or "asked_ops".
func (e *Engine) Describe(what string) (string, error) {
	c, err := e.enter()
	if err != nil {
		return "", err
	}
	defer e.done()
	return engineDescribe(c, what)
}

// CheckFile reads a file and returns the first error that it finds. It accepts .percale, .onnx,
// .safetensors, .npy and .npz files, a SPEC (.json), a checkpoint, or a folder of checkpoints.
func (e *Engine) CheckFile(path string) error {
	c, err := e.enter()
	if err != nil {
		return err
	}
	defer e.done()
	return fileCheck(c, path)
}

// Memory returns the number of bytes that the engine's allocations hold now, and the highest number
// so far.
func (e *Engine) Memory() (used, peak int64) {
	c, err := e.enter()
	if err != nil {
		return 0, 0
	}
	defer e.done()
	return engineMemory(c)
}

// Trim gives memory that is kept for later runs back to the system, and returns the number of bytes
// that the engine has released. Runs that are under way keep what they have; later runs allocate
// again. Any goroutine may call it at any time.
func (e *Engine) Trim() int64 {
	c, err := e.enter()
	if err != nil {
		return 0
	}
	defer e.done()
	return engineTrim(c)
}

// Metrics returns what the engine has counted so far as JSON: runs, errors, time, memory, plans,
// steps of training. The comment of percale_engine_metrics in the header engine.h lists the keys.
// It is cheap, and no run waits for it.
func (e *Engine) Metrics() (string, error) {
	c, err := e.enter()
	if err != nil {
		return "", err
	}
	defer e.done()
	return engineMetrics(c)
}

// String is "debug", "info", "warning" or "error".
func (l LogLevel) String() string {
	if l >= LogDebug && l <= LogError {
		return [...]string{"debug", "info", "warning", "error"}[l]
	}
	return fmt.Sprintf("level %d", int32(l))
}

// SetLog passes log messages to f, which may be called on any thread. A nil f ends logging. Call
// SetLog before other goroutines use the engine. Messages arrive as long as any object keeps the
// engine alive.
func (e *Engine) SetLog(f func(level LogLevel, message string)) error {
	c, err := e.enter()
	if err != nil {
		return err
	}
	defer e.done()
	if f == nil {
		var none C.percale_log_function
		engineSetLog(c, none, 0)
		return nil
	}
	id := register(f)
	err = engineSetLogOwned(c, C.percale_log_function(C.go_percale_log), id, C.percale_destroy(C.go_percale_destroy))
	if err != nil {
		unregister(id)
	}
	return err
}
