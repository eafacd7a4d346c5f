package percale

// #include <percale.h>
import "C"

import (
	"slices"
	"sort"
	"unsafe"
)

// Variables is the state table: named tensors that sessions and trainers share. Any goroutine may use it.
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

// enterOrNil is enter where there need not be any.
func (v *Variables) enterOrNil() (c *C.percale_variables, leave func(), err error) {
	if v == nil {
		return nil, func() {}, nil
	}
	c, err = v.enter()
	return c, func() { v.done() }, err
}

// Names are in ascending order.
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

// Value is the newest value of a variable, which does not change any more.
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

// Assign publishes a new version with this value; dtype and shape must agree.
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

// AssignAll takes the values of another table: of each variable that both have by name, with the
// same type and shape.
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

// Version is the number of the newest version, from 1 on.
func (v *Variables) Version() int64 {
	c, err := v.enter()
	if err != nil {
		return 0
	}
	defer v.done()
	return variablesVersion(c)
}

// Digest is "sha256:..." over names, types, shapes and bytes of all variables, moving statistics too; the same in every language.
func (v *Variables) Digest() (string, error) {
	c, err := v.enter()
	if err != nil {
		return "", err
	}
	defer v.done()
	return variablesDigest(c)
}

// Load takes values from a safetensors file; NotFound when strict and a variable is missing.
func (v *Variables) Load(path string, strict bool) error {
	c, err := v.enter()
	if err != nil {
		return err
	}
	defer v.done()
	return variablesLoad(c, path, flag(strict))
}

// LoadMapped takes values of another model: names maps variables to tensors, each with at most one '*'; "" as the tensor
// leaves the variable as it is. The path is a safetensors file, a checkpoint, or a folder of them. It tells how many
// variables took a value.
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

// Save writes a safetensors file.
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
