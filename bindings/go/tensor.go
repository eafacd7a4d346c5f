package percale

// #include <percale.h>
// void go_percale_deleter(void* user, void* data);
import "C"

import (
	"runtime"
	"slices"
	"unsafe"
)

// Float16 holds the bits of an IEEE half.
type Float16 uint16

// BFloat16 holds the bits of a bfloat16.
type BFloat16 uint16

// Element is what a tensor's elements can be in Go.
type Element interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool | Float16 | BFloat16
}

// DTypeOf is the dtype of a Go type.
func DTypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case float32:
		return F32
	case float64:
		return F64
	case int8:
		return I8
	case int16:
		return I16
	case int32:
		return I32
	case int64:
		return I64
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case bool:
		return BoolDType
	case Float16:
		return F16
	case BFloat16:
		return BF16
	}
	return InvalidDType
}

// Tensor is memory with a dtype and a shape. Any goroutine may use it; whoever writes to its memory must be its only user
// at that time.
type Tensor struct{ owner }

func releaseTensor(p unsafe.Pointer) { tensorRelease((*C.percale_tensor)(p)) }

func newTensor(p *C.percale_tensor) *Tensor {
	t := &Tensor{}
	return own(t, &t.owner, "tensor", unsafe.Pointer(p), releaseTensor)
}

func (t *Tensor) enter() (*C.percale_tensor, error) {
	if t == nil {
		return nil, errorf(InvalidArgument, "the tensor is nil")
	}
	p, err := t.use()
	return (*C.percale_tensor)(p), err
}

// enterTensors uses several at once; leave ends it.
func enterTensors(all []*Tensor) (c []*C.percale_tensor, leave func(), err error) {
	c = make([]*C.percale_tensor, len(all))
	entered := 0
	leave = func() {
		for _, t := range all[:entered] {
			t.done()
		}
	}
	for i, t := range all {
		if c[i], err = t.enter(); err != nil {
			leave()
			return nil, nil, err
		}
		entered++
	}
	return c, leave, nil
}

// NewTensor gives zeros in the engine's memory, 64-byte aligned.
func NewTensor(engine *Engine, dtype DType, dims ...int64) (*Tensor, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	p, err := tensorCreate(e, dtype, dims)
	if err != nil {
		return nil, err
	}
	return newTensor(p), nil
}

// FromSlice is a tensor over the elements of a Go slice, without a copy: they are pinned until the library needs them no
// longer, and must stay as they are while it reads them. Without dims it has one, the length; dims must make as many elements as
// there are.
func FromSlice[T Element](data []T, dims ...int64) (*Tensor, error) {
	if dims == nil {
		dims = []int64{int64(len(data))}
	}
	if !makes(dims, len(data)) {
		return nil, errorf(InvalidArgument, "%d elements do not make the shape %v", len(data), dims)
	}
	var zero T
	pins := &runtime.Pinner{}
	start := unsafe.Pointer(unsafe.SliceData(data))
	if len(data) == 0 {
		one := new(T) // the library wants an address even for nothing
		start = unsafe.Pointer(one)
	}
	pins.Pin(start)
	id := remember(pins)
	p, err := tensorFromMemory(DTypeOf[T](), dims, start, len(data)*int(unsafe.Sizeof(zero)),
		C.percale_deleter(C.go_percale_deleter), id)
	if err != nil {
		forgetSink(id)
		pins.Unpin()
		return nil, err
	}
	return newTensor(p), nil
}

// makes tells whether a shape has so many elements.
func makes(dims []int64, count int) bool {
	if slices.Contains(dims, 0) {
		return count == 0 && slices.Min(dims) == 0
	}
	product := int64(1)
	for _, dim := range dims {
		if dim < 0 || product > int64(count)/dim {
			return false
		}
		product *= dim
	}
	return product == int64(count)
}

// LoadTensor reads a NumPy .npy file.
func LoadTensor(engine *Engine, path string) (*Tensor, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	p, err := tensorLoad(e, path)
	if err != nil {
		return nil, err
	}
	return newTensor(p), nil
}

// ImportTensor makes a tensor of the bytes of a foreign format ("onnx": a TensorProto) through an importer plug-in.
func ImportTensor(engine *Engine, format string, bytes []byte) (*Tensor, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	p, err := tensorImport(e, format, bytes)
	if err != nil {
		return nil, err
	}
	return newTensor(p), nil
}

// FromDLPack takes a DLManagedTensorVersioned* over; on failure the caller keeps it.
func FromDLPack(managed unsafe.Pointer) (*Tensor, error) {
	p, err := tensorFromDlpack(managed)
	if err != nil {
		return nil, err
	}
	return newTensor(p), nil
}

// ToDLPack gives a DLManagedTensorVersioned* over the memory, which it keeps alive.
func (t *Tensor) ToDLPack() (unsafe.Pointer, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	return tensorToDlpack(c)
}

// Save writes a NumPy .npy file.
func (t *Tensor) Save(path string) error {
	c, err := t.enter()
	if err != nil {
		return err
	}
	defer t.done()
	return tensorSave(c, path)
}

// Retain gives one more owner of the same memory.
func (t *Tensor) Retain() (*Tensor, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	return newTensor(tensorRetain(c)), nil
}

// DType is InvalidDType for a tensor that is closed.
func (t *Tensor) DType() DType {
	c, err := t.enter()
	if err != nil {
		return InvalidDType
	}
	defer t.done()
	return tensorDtype(c)
}

// Dims are nil for a tensor that is closed.
func (t *Tensor) Dims() []int64 {
	c, err := t.enter()
	if err != nil {
		return nil
	}
	defer t.done()
	out := make([]int64, tensorRank(c))
	copy(out, unsafe.Slice((*int64)(unsafe.Pointer(tensorGetDims(c))), len(out)))
	return out
}

// Len is the number of elements.
func (t *Tensor) Len() int {
	c, err := t.enter()
	if err != nil {
		return 0
	}
	defer t.done()
	return int(tensorElementCount(c))
}

// bytes is the memory, which must not be used after the tensor was closed.
func (t *Tensor) bytes() []byte {
	c := (*C.percale_tensor)(t.ref.ptr)
	return unsafe.Slice((*byte)(tensorGetData(c)), int(tensorBytes(c)))
}

// View calls f with the elements, row-major, without a copy. They must not be used after f has returned.
func View[T Element](t *Tensor, f func(elements []T)) error {
	c, err := t.enter()
	if err != nil {
		return err
	}
	defer t.done()
	if have, want := tensorDtype(c), DTypeOf[T](); have != want {
		return errorf(InvalidArgument, "the tensor is %v, wanted are elements of %v", have, want)
	}
	f(unsafe.Slice((*T)(tensorGetData(c)), int(tensorElementCount(c))))
	return nil
}

// Values is a copy of the elements, row-major.
func Values[T Element](t *Tensor) ([]T, error) {
	var out []T
	err := View(t, func(elements []T) { out = append(make([]T, 0, len(elements)), elements...) })
	return out, err
}

// CopyTo copies the elements into out, which must have room for them, and tells how many there are.
func CopyTo[T Element](t *Tensor, out []T) (int, error) {
	count := 0
	var short error
	err := View(t, func(elements []T) {
		if len(out) < len(elements) {
			short = errorf(OutOfRange, "the tensor has %d elements, the slice %d", len(elements), len(out))
			return
		}
		count = copy(out, elements)
	})
	if err == nil {
		err = short
	}
	return count, err
}
