package percale

// #include <percale.h>
// void go_percale_deleter(void* user, void* data);
import "C"

import (
	"runtime"
	"slices"
	"unsafe"
)

// Float16 holds the bits of an IEEE half-precision number.
type Float16 uint16

// BFloat16 holds the bits of a bfloat16.
type BFloat16 uint16

// Element lists the Go types that tensor elements can have.
type Element interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool | Float16 | BFloat16
}

// DTypeOf returns the dtype of a Go type.
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

// Tensor is memory with a dtype and a shape. Any number of goroutines may use it. While one writes
// to the memory, no other may use the tensor.
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

// enterTensors enters several tensors at once. leave ends their use.
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

// NewTensor returns a tensor of zeros in memory of the engine, aligned to 64 bytes.
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

// FromSlice returns a tensor over the elements of a Go slice, without a copy. The slice is pinned
// until the library no longer needs it, and must not change while the library reads it. Without
// dims the tensor has one dim, the length of the slice. The product of dims must equal that length.
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
		one := new(T) // the library requires an address even for zero elements
		start = unsafe.Pointer(one)
	}
	pins.Pin(start)
	id := register(pins)
	p, err := tensorFromMemory(DTypeOf[T](), dims, start, len(data)*int(unsafe.Sizeof(zero)),
		C.percale_deleter(C.go_percale_deleter), id)
	if err != nil {
		unregister(id)
		pins.Unpin()
		return nil, err
	}
	return newTensor(p), nil
}

// makes reports whether a shape has this number of elements.
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

// ImportTensor reads a tensor from the bytes of a foreign format ("onnx": a TensorProto) through an
// importer plug-in.
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

// FromDLPack takes ownership of a DLManagedTensorVersioned*. On failure the caller keeps it.
func FromDLPack(managed unsafe.Pointer) (*Tensor, error) {
	p, err := tensorFromDlpack(managed)
	if err != nil {
		return nil, err
	}
	return newTensor(p), nil
}

// ToDLPack returns a DLManagedTensorVersioned* over the memory, which it keeps alive.
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

// Retain returns another owner of the same memory.
func (t *Tensor) Retain() (*Tensor, error) {
	c, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.done()
	return newTensor(tensorRetain(c)), nil
}

// DType returns the element type. It is InvalidDType for a closed tensor.
func (t *Tensor) DType() DType {
	c, err := t.enter()
	if err != nil {
		return InvalidDType
	}
	defer t.done()
	return tensorDtype(c)
}

// Dims returns the shape. It is nil for a closed tensor.
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

// Len returns the number of elements.
func (t *Tensor) Len() int {
	c, err := t.enter()
	if err != nil {
		return 0
	}
	defer t.done()
	return int(tensorElementCount(c))
}

// bytes returns the memory, which must not be used after the tensor is closed.
func (t *Tensor) bytes() []byte {
	c := (*C.percale_tensor)(t.ref.ptr)
	return unsafe.Slice((*byte)(tensorGetData(c)), int(tensorBytes(c)))
}

// View calls f with the elements in row-major order, without a copy. They must not be used after f
// returns.
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

// Values returns a copy of the elements in row-major order.
func Values[T Element](t *Tensor) ([]T, error) {
	var out []T
	err := View(t, func(elements []T) { out = append(make([]T, 0, len(elements)), elements...) })
	return out, err
}

// CopyTo copies the elements into out and returns their number. It fails if out is too short.
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
