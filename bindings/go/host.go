package percale

// #include <percale.h>
// percale_status* go_percale_execute(void* user, percale_task* task);
// percale_status* go_percale_file_size(void* user, const char* name, int64_t* out_size);
// percale_status* go_percale_file_read(void* user, const char* name, int64_t offset, void* buffer,
//     size_t size);
// void go_percale_destroy(void* user);
// void go_percale_deleter(void* user, void* data);
import "C"

import (
	"errors"
	"io"
	"io/fs"
	"runtime"
	"sync"
	"unsafe"
)

// EngineSetting is something that the program supplies to an engine, see NewEngine.
type EngineSetting func(options *C.percale_options) error

// OnExecutor makes the engine compute on the program's threads: execute runs the task, once, on any
// goroutine, at once or later. The engine then starts no threads that compute. The option "threads"
// is the number of goroutines that one loop uses at most, the calling one included. Results have
// the same bits.
//
// The library never waits for a task that has not begun, so a pool of any size will do, and runs
// may be started within it. An error of execute, or a panic, becomes that of the run that needed
// the task; its code is Unavailable, unless it is a Code or of this package.
//
//	percale.NewEngine(nil, percale.OnExecutor(func(task func()) error { go task(); return nil }))
func OnExecutor(execute func(task func()) error) EngineSetting {
	return func(options *C.percale_options) error {
		if execute == nil {
			return errorf(InvalidArgument, "OnExecutor: the function is nil")
		}
		id := register(&executor{execute})
		err := optionsSetThreadPool(options, id, C.percale_execute_function(C.go_percale_execute), C.percale_destroy(C.go_percale_destroy))
		if err != nil {
			unregister(id)
		}
		return err
	}
}

// executor is the function of OnExecutor, as the library calls it.
type executor struct{ execute func(task func()) error }

func (e *executor) run(task *C.percale_task) *C.percale_status {
	var once sync.Once
	err := withoutPanic(func() error {
		return e.execute(func() {
			once.Do(func() {
				taskRun(task)
				taskRelease(task)
			})
		})
	})
	if err == nil {
		return nil
	}
	refused := false
	once.Do(func() { refused = true }) // a task that comes after its refusal does nothing
	if !refused {
		return nil // it was run before the error
	}
	code, message := describe(err)
	return newStatus(code, message)
}

// FromFiles lets the engine read files of the program, such as those of an archive/zip.Reader or an
// embed.FS. Wherever the engine takes a path to read from, one that begins with "host:" names such
// a file: "host:models/digits.percale" is the file models/digits.percale. A model is read once, and
// files that it names are read beside it. A checkpoint is named by its folder, "host:run/step-7".
//
// Any number of goroutines may read at a time. An error becomes that of the call, with the path in
// its message; its code is NotFound for fs.ErrNotExist, PermissionDenied for fs.ErrPermission,
// else Unavailable, unless it is a Code or of this package.
func FromFiles(files fs.FS) EngineSetting {
	return func(options *C.percale_options) error {
		if files == nil {
			return errorf(InvalidArgument, "FromFiles: the file system is nil")
		}
		id := register(&fileReader{files})
		err := optionsSetReader(options, id, C.percale_file_size_function(C.go_percale_file_size),
			C.percale_file_read_function(C.go_percale_file_read), C.percale_destroy(C.go_percale_destroy))
		if err != nil {
			unregister(id)
		}
		return err
	}
}

// fileReader is the file system of FromFiles, as the library calls it.
type fileReader struct{ files fs.FS }

func (r *fileReader) size(name string, size *C.int64_t) *C.percale_status {
	return fileStatus(withoutPanic(func() error {
		info, err := fs.Stat(r.files, name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return errorf(InvalidArgument, "this is not a regular file")
		}
		*size = C.int64_t(info.Size())
		return nil
	}))
}

func (r *fileReader) read(name string, offset int64, buffer []byte) *C.percale_status {
	return fileStatus(withoutPanic(func() error {
		file, err := r.files.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		if at, ok := file.(io.ReaderAt); ok {
			if n, err := at.ReadAt(buffer, offset); n < len(buffer) {
				return err
			}
			return nil
		}
		if _, err = io.CopyN(io.Discard, file, offset); err != nil {
			return err
		}
		_, err = io.ReadFull(file, buffer)
		return err
	}))
}

// fileStatus converts an error of a file system to a status.
func fileStatus(err error) *C.percale_status {
	if err == nil {
		return nil
	}
	code, message := describe(err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = NotFound
	case errors.Is(err, fs.ErrPermission):
		code = PermissionDenied
	}
	return newStatus(code, message)
}

// GraphFromMemory makes a graph over the bytes of a .percale file, without a copy of the weights.
// The bytes are pinned, and must not change, until the last object is gone that uses the weights.
// Bytes that do not begin at a multiple of 64 are copied; copied is their number. A slice of a
// mapped file, and most large slices, begin at one.
func GraphFromMemory(engine *Engine, bytes []byte) (graph *Graph, copied int64, err error) {
	e, err := engine.enter()
	if err != nil {
		return nil, 0, err
	}
	defer engine.done()
	id, start := pin(bytes)
	copied, p, err := graphFromMemory(e, start, len(bytes), C.percale_deleter(C.go_percale_deleter), id)
	if err != nil {
		unpin(id)
		return nil, 0, err
	}
	graph, err = newGraph(p, nil)
	return graph, copied, err
}

// LoadMemory is Load for the bytes of a safetensors file, without a copy of tensors that begin at a
// multiple of 64 in memory. The bytes are pinned, and must not change, as long as a value lies in
// them. LoadMemory returns the number of bytes that it copied.
func (v *Variables) LoadMemory(bytes []byte, strict bool) (copied int64, err error) {
	c, err := v.enter()
	if err != nil {
		return 0, err
	}
	defer v.done()
	id, start := pin(bytes)
	copied, err = variablesLoadMemory(c, start, len(bytes), C.percale_deleter(C.go_percale_deleter), id, flag(strict))
	if err != nil {
		unpin(id)
	}
	return copied, err
}

// pin pins bytes until the library calls the deleter with the id.
func pin(bytes []byte) (id uintptr, start unsafe.Pointer) {
	pins := &runtime.Pinner{}
	start = unsafe.Pointer(unsafe.SliceData(bytes))
	if len(bytes) == 0 {
		start = unsafe.Pointer(new(byte)) // the library requires an address
	}
	pins.Pin(start)
	return register(pins), start
}

func unpin(id uintptr) {
	if pins, ok := registered[*runtime.Pinner](C.uintptr_t(id)); ok {
		unregister(id)
		pins.Unpin()
	}
}
