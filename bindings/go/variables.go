package percale

// #include <percale.h>
import "C"

import (
	"slices"
	"sort"
	"unsafe"
)

// Variables is a table of named tensors that sessions and trainers share. Any number of goroutines
// may use it.
type Variables struct{ owner }

func releaseVariables(p unsafe.Pointer) { variablesRelease((*C.percale_variables)(p)) }

func newVariables(p *C.percale_variables, err error) (*Variables, error) {
	if err != nil {
		return nil, err
	}
	v := &Variables{}
	return own(v, &v.owner, "table of variables", unsafe.Pointer(p), releaseVariables), nil
}

func (v *Variables) enter() (*C.percale_variables, error) {
	if v == nil {
		return nil, errorf(InvalidArgument, "the table of variables is nil")
	}
	p, err := v.use()
	return (*C.percale_variables)(p), err
}

// enterOrNil is enter, but accepts nil.
func (v *Variables) enterOrNil() (c *C.percale_variables, leave func(), err error) {
	if v == nil {
		return nil, func() {}, nil
	}
	c, err = v.enter()
	return c, func() { v.done() }, err
}

// Names returns the names of the variables in ascending order.
func (v *Variables) Names() []string {
	c, err := v.enter()
	if err != nil {
		return nil
	}
	defer v.done()
	out := make([]string, variablesCount(c))
	for i := range out {
		out[i] = variablesGetName(c, i)
	}
	return out
}

// Value returns the newest value of a variable. The tensor never changes.
func (v *Variables) Value(name string) (*Tensor, error) {
	c, err := v.enter()
	if err != nil {
		return nil, err
	}
	defer v.done()
	p, err := variablesValue(c, name)
	if err != nil {
		return nil, err
	}
	return newTensor(p), nil
}

// Assign publishes a new version with this value. The dtype and shape must agree.
func (v *Variables) Assign(name string, value *Tensor) error {
	c, err := v.enter()
	if err != nil {
		return err
	}
	defer v.done()
	t, err := value.enter()
	if err != nil {
		return err
	}
	defer value.done()
	return variablesAssign(c, name, t)
}

// AssignAll takes the values of all variables that exist in both tables with the same name, dtype
// and shape.
func (v *Variables) AssignAll(other *Variables) error {
	theirs := other.Names()
	for _, name := range v.Names() {
		if !slices.Contains(theirs, name) {
			continue
		}
		if err := v.assignFrom(other, name); err != nil {
			return err
		}
	}
	return nil
}

func (v *Variables) assignFrom(other *Variables, name string) error {
	own, err := v.Value(name)
	if err != nil {
		return err
	}
	defer own.Close()
	value, err := other.Value(name)
	if err != nil {
		return err
	}
	defer value.Close()
	if own.DType() != value.DType() || !slices.Equal(own.Dims(), value.Dims()) {
		return nil
	}
	return v.Assign(name, value)
}

// Version returns the number of the newest version, counted from 1.
func (v *Variables) Version() int64 {
	c, err := v.enter()
	if err != nil {
		return 0
	}
	defer v.done()
	return variablesVersion(c)
}

// Digest returns "sha256:..." over the names, dtypes, shapes and bytes of all variables except
// optimizer slots. It is the same in every language.
func (v *Variables) Digest() (string, error) {
	c, err := v.enter()
	if err != nil {
		return "", err
	}
	defer v.done()
	return variablesDigest(c)
}

// Load takes values from a safetensors file. If strict, a missing variable is an error with code
// NotFound.
func (v *Variables) Load(path string, strict bool) error {
	c, err := v.enter()
	if err != nil {
		return err
	}
	defer v.done()
	return variablesLoad(c, path, flag(strict))
}

// LoadMapped takes values from another model and returns how many variables took one. Names maps
// variables to tensors. Both may contain one '*', which stands for the same characters; "" as the
// tensor leaves the variable unchanged. The path is a safetensors file, a checkpoint, or a folder
// of checkpoints.
func (v *Variables) LoadMapped(path string, names map[string]string, strict bool) (int64, error) {
	c, err := v.enter()
	if err != nil {
		return 0, err
	}
	defer v.done()
	var from, to []string
	for variable := range names {
		to = append(to, variable)
	}
	sort.Slice(to, func(i, j int) bool { return len(to[i]) > len(to[j]) || len(to[i]) == len(to[j]) && to[i] < to[j] })
	for _, variable := range to {
		from = append(from, names[variable])
	}
	return variablesLoadMapped(c, path, from, to, flag(strict))
}

// Save writes the newest values to a safetensors file.
func (v *Variables) Save(path string) error {
	c, err := v.enter()
	if err != nil {
		return err
	}
	defer v.done()
	return variablesSave(c, path)
}

func flag(on bool) int32 {
	if on {
		return 1
	}
	return 0
}
