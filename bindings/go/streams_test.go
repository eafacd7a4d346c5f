package percale_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"percale.alt/go/percale"
)

// numbers gives the rows of signs in pieces of 3 at most, and notes where it was asked to begin.
type numbers struct {
	asked [][2]int64 // epoch, row
	fails func(first int64) error
}

func (n *numbers) read(rows *percale.Rows) (int, error) {
	n.asked = append(n.asked, [2]int64{rows.Epoch(), rows.First()})
	if n.fails != nil {
		if err := n.fails(rows.First()); err != nil {
			return 0, err
		}
	}
	count := min(rows.Max(), 3, 40-int(rows.First()))
	x, y := percale.RowsColumn[float32](rows, 0), percale.RowsColumn[int64](rows, 1)
	if len(x) != rows.Max() || len(y) != rows.Max() {
		return 0, fmt.Errorf("there is memory for %d and %d rows, wanted %d", len(x), len(y), rows.Max())
	}
	for i := range count {
		number := int(rows.First()) + i
		x[i], y[i] = float32(number-20)/10, int64(number/20)
	}
	if int(rows.First())+count == 40 {
		return count, io.EOF
	}
	return count, nil
}

var signTypes = []percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{1}}, {Name: "y", DType: percale.I64}}

func stream(t *testing.T, e *percale.Engine, n *numbers) *percale.Dataset {
	t.Helper()
	return good[*percale.Dataset](t)(good[*percale.Dataset](t)(percale.DatasetStream(e, signTypes, n.read)).Batch(12))
}

func TestStreamGivesItsRowsInBatchesEpochAfterEpoch(t *testing.T) {
	e, n := engine(t, nil), &numbers{}
	data := stream(t, e, n)
	if data.Rows() != -1 || !slices.Equal(data.Columns(), []string{"x", "y"}) {
		t.Errorf("%d rows of %v", data.Rows(), data.Columns())
	}
	for epoch := range 2 {
		var got []float32
		for batch, err := range data.Epoch() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, good[[]float32](t)(percale.Values[float32](batch[0]))...)
		}
		if len(got) != 40 || got[39] != float32(1.9) || n.asked[len(n.asked)-1][0] != int64(epoch) {
			t.Errorf("epoch %d gives %v", epoch, got)
		}
	}
	_, err := data.Repeat(2)
	wants(t, err, percale.FailedPrecondition, "stream")
	_, err = data.Batch(12, percale.Shuffled(1))
	wants(t, err, percale.InvalidArgument, "shuffled")
}

func TestStreamTrainsToTheBitsOfADatasetWithTheSameRows(t *testing.T) {
	e := engine(t, nil)
	var digests []string
	var accuracies []float64
	for _, data := range []*percale.Dataset{good[*percale.Dataset](t)(signs(t, e).Batch(12)), stream(t, e, &numbers{})} {
		trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
		if err := trainer.Fit(background, data, 2, nil); err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest(t, trainer))
		accuracies = append(accuracies, good[map[string]float64](t)(trainer.Evaluate(data))["accuracy"])
	}
	if digests[0] != digests[1] || accuracies[0] != accuracies[1] {
		t.Errorf("digests %v, accuracies %v", digests, accuracies)
	}
}

func TestErrorOrPanicOfAStreamIsTheCauseOfTheError(t *testing.T) {
	mine := errors.New("no such page")
	e := engine(t, nil)
	for _, test := range []struct {
		says  string
		code  percale.Code
		cause error
		fails func(int64) error
	}{
		{"no such page", percale.Unavailable, mine, func(int64) error { return fmt.Errorf("page 7: %w", mine) }},
		{"no such page", percale.Aborted, mine, func(int64) error { panic(mine) }},
		{"DATA_LOSS", percale.DataLoss, percale.DataLoss, func(int64) error { return percale.DataLoss }},
		{"EOF", percale.Unavailable, io.EOF, func(int64) error { return fmt.Errorf("torn: %w", io.EOF) }},
		{"OUT_OF_RANGE", percale.Aborted, percale.Aborted, func(int64) error { return percale.OutOfRange }},
	} {
		data := stream(t, e, &numbers{fails: test.fails})
		says := func(what string, err error) {
			t.Helper()
			wants(t, err, test.code, test.says)
			if !errors.Is(err, test.cause) {
				t.Errorf("%s: '%v' has lost its cause", what, err)
			}
		}
		_, err := data.Next()
		says("Next", err)
		for _, err := range data.Epoch() {
			says("Epoch", err)
		}
		trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
		says("Fit", trainer.Fit(background, data, 1, nil))
		_, err = trainer.Evaluate(data)
		says("Evaluate", err)
		if err := trainer.SetValidation(data); err != nil {
			t.Fatal(err)
		}
		says("Fit with validation", trainer.Fit(background, signs(t, e), 1, nil))
	}
}

func TestStreamThatFailsIsReadAgainFromTheBatchThatFailed(t *testing.T) {
	e, n := engine(t, nil), &numbers{}
	trainer, whole := good[*percale.Trainer](t)(twoLayers.Compile(e, training)), good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	data := stream(t, e, n)
	n.fails = func(first int64) error {
		if first < 27 {
			return nil
		}
		return percale.DataLoss
	}
	wants(t, trainer.Fit(background, data, 1, nil), percale.DataLoss)
	if trainer.Steps() != 1 { // the third batch tells whether the second is the last one
		t.Errorf("it stands at step %d", trainer.Steps())
	}
	n.fails, n.asked = nil, nil
	if err := trainer.Fit(background, data, 1, nil); err != nil || n.asked[0] != [2]int64{0, 24} {
		t.Errorf("%v, it goes on at %v", err, n.asked)
	}
	if err := whole.Fit(background, data, 1, nil); err != nil || digest(t, whole) != digest(t, trainer) {
		t.Errorf("%v, other bits", err)
	}
}

func TestStreamOfTooManyRowsOrOfAnotherTypeIsAnError(t *testing.T) {
	e := engine(t, nil)
	read := func(rows *percale.Rows) (int, error) { return rows.Max() + 1, nil }
	_, err := good[*percale.Dataset](t)(percale.DatasetStream(e, signTypes, read)).Next()
	wants(t, err, percale.InvalidArgument, "wrote 33 rows")
	read = func(rows *percale.Rows) (int, error) { return len(percale.RowsColumn[float64](rows, 0)), nil }
	_, err = good[*percale.Dataset](t)(percale.DatasetStream(e, signTypes, read)).Next()
	wants(t, err, percale.InvalidArgument, "column 'x' is f32")
	before := percale.KnownToC()
	if _, err := percale.DatasetStream(e, nil, read); err == nil || percale.KnownToC() != before {
		t.Errorf("%v for a stream without columns", err)
	}
}
