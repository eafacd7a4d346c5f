package percale_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"percale.alt/go/percale"
	"percale.alt/go/percale/ops"
)

// signs are 40 rows of one feature; the class is its sign.
func signs(t testing.TB, e *percale.Engine) *percale.Dataset {
	t.Helper()
	x, y := make([]float32, 40), make([]int64, 40)
	for i := range x {
		x[i] = float32(i-20) / 10
		y[i] = int64(i / 20)
	}
	xs, ys := good[*percale.Tensor](t)(percale.FromSlice(x, 40, 1)), good[*percale.Tensor](t)(percale.FromSlice(y))
	data := good[*percale.Dataset](t)(percale.DatasetFromTensors(e, percale.Feeds{"x": xs, "y": ys}))
	return good[*percale.Dataset](t)(data.Batch(10, percale.Shuffled(3)))
}

var twoLayers = percale.Sequential(
	percale.Dense(10, percale.Words{"activation": "relu", "input_shape": []int{1}}),
	percale.Dense(10, percale.Words{"activation": "softmax"}))

var training = percale.Training{
	Optimizer: `{"name": "adam", "learning_rate": 0.02}`,
	Loss:      "sparse_categorical_crossentropy",
	Metrics:   []string{"accuracy"},
}

func TestMirroredStrategyLearnsWithTheSameBits(t *testing.T) {
	var digests []string
	for _, devices := range []string{"cpu:0", "cpu=2x1"} {
		e := engine(t, percale.Options{"devices": devices})
		how := training
		how.Strategy = &percale.MirroredStrategy{}
		how.More = percale.Words{"shards": 2}
		trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, how))
		data := signs(t, e)
		epochs := 0
		err := trainer.Fit(background, data, 10, func(p percale.Progress) bool {
			if p.EpochEnded {
				epochs++
				if _, ok := p.Metrics["accuracy"]; !ok {
					t.Errorf("metrics %v", p.Metrics)
				}
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		metrics := good[map[string]float64](t)(trainer.Evaluate(data))
		if epochs != 10 || trainer.Steps() != 40 || metrics["accuracy"] < 0.8 {
			t.Errorf("%d epochs, %d steps, %v", epochs, trainer.Steps(), metrics)
		}
		digests = append(digests, good[string](t)(good[*percale.Variables](t)(trainer.Variables()).Digest()))
	}
	if digests[0] != digests[1] {
		t.Errorf("one device gives %s, two %s", digests[0], digests[1])
	}
}

func TestDataWithoutLabelsIsRefused(t *testing.T) {
	e := engine(t, nil)
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	data := good[*percale.Dataset](t)(percale.DatasetRange(e, "x", 0, 100, 1))
	wants(t, trainer.Fit(background, data, 10, nil), percale.InvalidArgument, "needs an input 'y'")
}

func TestSeveralSchedulesAreASliceOrAJSONArray(t *testing.T) {
	for _, schedule := range []any{[]any{percale.Words{"name": "warm_up", "steps": 4}, "cosine"}, `[{"name":"warm_up","steps":4},"cosine"]`} {
		spec := good[[]byte](t)(twoLayers.Spec(percale.Training{Loss: "mse", Schedule: schedule}))
		if want := `"schedule":[{"name":"warm_up","steps":4},"cosine"]`; !strings.Contains(string(spec), want) {
			t.Errorf("%s has no %s", spec, want)
		}
	}
}

func TestALossThatIsNoNumberIsEvaluatedAsOne(t *testing.T) {
	e := engine(t, percale.Options{"threads": 1})
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	x := good[*percale.Tensor](t)(percale.FromSlice([]float32{float32(math.NaN())}, 1, 1))
	y := good[*percale.Tensor](t)(percale.FromSlice([]int64{0}))
	data := good[*percale.Dataset](t)(percale.DatasetFromTensors(e, percale.Feeds{"x": x, "y": y}))
	if loss := good[map[string]float64](t)(trainer.Evaluate(data))["loss"]; !math.IsNaN(loss) {
		t.Errorf("the loss is %v", loss)
	}
}

func TestContextAndCallbackEndATraining(t *testing.T) {
	e := engine(t, nil)
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	data := signs(t, e)
	if err := trainer.Fit(background, data, 10, func(p percale.Progress) bool { return p.Step < 3 }); err != nil || trainer.Steps() != 3 {
		t.Errorf("%v after %d steps", err, trainer.Steps())
	}
	ctx, cancel := context.WithCancel(background)
	err := trainer.Fit(ctx, data, 1000, func(p percale.Progress) bool {
		if p.Step == 10 {
			cancel()
		}
		return true
	})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, percale.Cancelled) {
		t.Errorf("got %v", err)
	}
	if steps := trainer.Steps(); steps != 10 {
		t.Errorf("it stands at step %d", steps)
	}
	func() {
		defer func() {
			if p := recover(); p != "enough" {
				t.Errorf("recovered %v", p)
			}
		}()
		_ = trainer.Fit(background, data, 1000, func(percale.Progress) bool { panic("enough") })
	}()
	if err := trainer.Fit(background, data, 11, nil); err != nil {
		t.Error(err)
	}
}

func TestEpochsOfFitCountAllSoFar(t *testing.T) {
	e := engine(t, nil)
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	data := signs(t, e)
	for _, fit := range []struct{ epochs, steps int64 }{{1, 4}, {1, 4}, {2, 8}} {
		if err := trainer.Fit(background, data, fit.epochs, nil); err != nil || trainer.Steps() != fit.steps {
			t.Errorf("%v: %d steps until epoch %d", err, trainer.Steps(), fit.epochs)
		}
	}
}

func TestTrainerOfAGraph(t *testing.T) {
	e := engine(t, nil)
	b := good[*percale.Builder](t)(percale.NewBuilder(e))
	x, want := b.Input("x", percale.F32, -1, 1), b.Input("t", percale.F32, -1, 1)
	d := ops.Sub(b, b.Layer("Dense", "y", []percale.Value{x}, percale.Attr{Name: "units", Value: 1}), want)
	loss := ops.ReduceMean(b, ops.Mul(b, d, d), percale.None, ops.ReduceMeanAttrs{Keepdims: percale.Ptr(0), Name: "loss"})
	b.SetOutputs(loss)
	graph := good[*percale.Graph](t)(b.Finish())
	variables := good[*percale.Variables](t)(graph.Variables(e, 1))
	trainer := good[*percale.Trainer](t)(percale.NewTrainer(e, graph, variables,
		percale.Options{"optimizer": `{"name": "sgd", "learning_rate": 0.5}`}))
	xs := good[*percale.Tensor](t)(percale.FromSlice([]float32{-1, 0, 1, 2}, 4, 1))
	ts := good[*percale.Tensor](t)(percale.FromSlice([]float32{-3, -1, 1, 3}, 4, 1))
	last := 1.0
	for range 100 {
		last = good[float64](t)(trainer.Step(percale.Feeds{"x": xs, "t": ts}))
	}
	_, fetched, err := trainer.StepFetch(percale.Feeds{"x": xs, "t": ts}, "y")
	if err != nil {
		t.Fatal(err)
	}
	if scores := good[[]float32](t)(percale.Values[float32](fetched[0])); math.Abs(float64(scores[3])-3) > 0.05 {
		t.Errorf("scores %v", scores)
	}
	bias := good[[]float32](t)(percale.Values[float32](good[*percale.Tensor](t)(variables.Value("y/bias"))))
	if last > 1e-4 || math.Abs(float64(bias[0])+1) > 0.01 {
		t.Errorf("loss %v, bias %v", last, bias)
	}
	folder := t.TempDir()
	if err := trainer.Save(folder); err != nil {
		t.Fatal(err)
	}
	other := good[*percale.Trainer](t)(percale.NewTrainer(e, graph, nil, percale.Options{"optimizer": `{"name": "sgd", "learning_rate": 0.5}`}))
	if err := other.Restore(folder); err != nil || other.Steps() != 101 {
		t.Errorf("%v, %d steps", err, other.Steps())
	}
}

func TestEpochGivesEachRowOnce(t *testing.T) {
	e := engine(t, nil)
	made := good[*percale.Dataset](t)(percale.DatasetGenerate(e, 5,
		[]percale.TensorType{{Name: "square", DType: percale.F32}}, func(r *percale.Row) error {
			percale.RowColumn[float32](r, 0)[0] = float32(r.Number() * r.Number())
			return nil
		}))
	numbers := good[*percale.Dataset](t)(percale.DatasetRange(e, "n", 0, 5, 1))
	zipped := good[*percale.Dataset](t)(percale.Zip(numbers, made))
	made.Close()
	numbers.Close()
	if columns := good[[]percale.TensorType](t)(zipped.ColumnTypes()); columns[1].Name != "square" || columns[1].DType != percale.F32 ||
		len(columns[1].Dims) != 0 {
		t.Errorf("the columns are %v", columns)
	}
	if renamed := good[*percale.Dataset](t)(zipped.Rename("x", "y")); !slices.Equal(renamed.Columns(), []string{"x", "y"}) {
		t.Errorf("the columns are called %v", renamed.Columns())
	}
	data := good[*percale.Dataset](t)(good[*percale.Dataset](t)(zipped.Repeat(2)).Batch(4))
	for range 2 {
		rows := 0
		for batch, err := range data.Epoch() {
			if err != nil {
				t.Fatal(err)
			}
			n, square := good[[]int64](t)(percale.Values[int64](batch[0])), good[[]float32](t)(percale.Values[float32](batch[1]))
			for i := range n {
				if square[i] != float32(n[i]*n[i]) {
					t.Errorf("%d squared is %v", n[i], square[i])
				}
			}
			rows += len(n)
		}
		if rows != 10 || data.Rows() != 10 {
			t.Errorf("%d rows", rows)
		}
	}
}

func TestFunctionsOfGoAreForgottenWithWhatCallsThem(t *testing.T) {
	// Collects the objects that earlier tests left to the garbage collector.
	for range 5 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	before := percale.KnownToC()
	e := good[*percale.Engine](t)(percale.NewEngine(nil))
	for range 3 {
		if err := e.SetLog(func(percale.LogLevel, string) {}); err != nil {
			t.Fatal(err)
		}
	}
	types := []percale.TensorType{{Name: "x", DType: percale.F32}}
	made := good[*percale.Dataset](t)(percale.DatasetGenerate(e, 5, types, func(*percale.Row) error { return nil }))
	twice := good[*percale.Dataset](t)(made.Repeat(2))
	if _, err := percale.DatasetGenerate(e, 0, types, func(*percale.Row) error { return nil }); err == nil {
		t.Error("a data set without rows")
	}
	read := good[*percale.Dataset](t)(percale.DatasetStream(e, types, func(*percale.Rows) (int, error) { return 0, nil }))
	if known := percale.KnownToC() - before; known != 3 {
		t.Errorf("C knows %d values, wanted the log function and those that make and read rows", known)
	}
	read.Close()
	made.Close()
	for _, tensor := range good[[]*percale.Tensor](t)(twice.Next()) {
		tensor.Close()
	}
	twice.Close()
	e.Close()
	if known := percale.KnownToC() - before; known != 0 {
		t.Errorf("C still knows %d values", known)
	}
}

// rowsThatFail are rows of x and y; the function fails for the third row.
func rowsThatFail(t *testing.T, e *percale.Engine, fail func(*percale.Row) error) *percale.Dataset {
	t.Helper()
	types := []percale.TensorType{{Name: "x", DType: percale.F32, Dims: []int64{1}}, {Name: "y", DType: percale.I64}}
	return good[*percale.Dataset](t)(percale.DatasetGenerate(e, 5, types, func(r *percale.Row) error {
		if r.Number() == 2 {
			return fail(r)
		}
		return nil
	}))
}

func TestErrorOrPanicOfARowIsTheCauseOfTheError(t *testing.T) {
	e := engine(t, nil)
	mine := errors.New("no such row")
	for _, test := range []struct {
		says  string
		cause error
		fail  func(*percale.Row) error
	}{
		{"no such row", mine, func(*percale.Row) error { return fmt.Errorf("row function: %w", mine) }},
		{"panic: no such row", mine, func(*percale.Row) error { panic(mine) }},
		{"panic: the row's own words", percale.Aborted, func(*percale.Row) error { panic("the row's own words") }},
		{"column 'x' is f32", percale.InvalidArgument, func(r *percale.Row) error { percale.RowColumn[int64](r, 0)[0] = 1; return nil }},
		{"index out of range", percale.Aborted, func(r *percale.Row) error {
			percale.RowColumn[float32](r, 0)[r.Number()] = 1
			return nil
		}},
	} {
		says := func(what string, err error) {
			t.Helper()
			wants(t, err, percale.Aborted, "did not return row 2", test.says)
			if !errors.Is(err, test.cause) {
				t.Errorf("%s: '%v' has lost its cause", what, err)
			}
		}
		data := rowsThatFail(t, e, test.fail)
		twice := good[*percale.Dataset](t)(percale.Concatenate(good[*percale.Dataset](t)(data.Repeat(2)), data))
		_, err := good[*percale.Dataset](t)(twice.Batch(5)).Next()
		says("Next", err)
		part := good[[]*percale.Dataset](t)(good[*percale.Dataset](t)(good[*percale.Dataset](t)(data.Rename("x", "y")).Batch(5)).Distribute(1))[0]
		_, err = part.Next()
		says("Next of a part", err)
		trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
		says("Fit", trainer.Fit(background, twice, 1, nil))
		_, err = trainer.Evaluate(twice)
		says("Evaluate", err)
		trainer = good[*percale.Trainer](t)(twoLayers.Compile(e, training))
		if err := trainer.SetValidation(twice); err != nil {
			t.Fatal(err)
		}
		says("Fit with validation", trainer.Fit(background, signs(t, e), 1, nil))
	}
}

func Example() {
	engine, err := percale.NewEngine(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	b, _ := percale.NewBuilder(engine)
	x := b.Input("x", percale.F32, -1)
	b.SetOutputs(ops.Mul(b, x, x, ops.MulAttrs{Name: "y"}))
	graph, err := b.Finish() // the first error of the builder, if there was one
	if err != nil {
		fmt.Println(err)
		return
	}
	session, _ := percale.NewSession(engine, graph, nil, nil)
	in, _ := percale.FromSlice([]float32{1, 2, 3})
	out, err := session.Run(context.Background(), percale.Feeds{"x": in}, graph.Outputs()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, _ := percale.Values[float32](out[0])
	fmt.Println(values)
	// Output: [1 4 9]
}

func ExampleModel_Compile() {
	engine, _ := percale.NewEngine(percale.Options{"devices": "cpu=2x1"})
	defer engine.Close()
	model := percale.Sequential(
		percale.Dense(10, percale.Words{"activation": "relu", "input_shape": []int{1}}),
		percale.Dense(10, percale.Words{"activation": "softmax"}))
	trainer, err := model.Compile(engine, percale.Training{
		Optimizer: "adam", Loss: "sparse_categorical_crossentropy", Metrics: []string{"accuracy"},
		Strategy: &percale.MirroredStrategy{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	x, _ := percale.FromSlice([]float32{0, 1, 2, 3}, 4, 1)
	y, _ := percale.FromSlice([]int64{0, 0, 1, 1})
	data, _ := percale.DatasetFromTensors(engine, percale.Feeds{"x": x, "y": y})
	data, _ = data.Batch(4)
	err = trainer.Fit(context.Background(), data, 10, nil)
	fmt.Println(trainer.Steps(), "steps", err)
	// Output: 10 steps <nil>
}

func ExampleError() {
	engine, _ := percale.NewEngine(nil)
	defer engine.Close()
	_, err := percale.LoadGraph(engine, "/nowhere.percale")
	var own *percale.Error
	fmt.Println(errors.Is(err, percale.NotFound), errors.As(err, &own), own.Code)
	// Output: true true NOT_FOUND
}

func ExampleDataset_Epoch() {
	engine, _ := percale.NewEngine(nil)
	defer engine.Close()
	data, _ := percale.DatasetRange(engine, "n", 0, 5, 1)
	data, _ = data.Batch(2)
	for batch, err := range data.Epoch() {
		if err != nil {
			fmt.Println(err)
			return
		}
		n, _ := percale.Values[int64](batch[0])
		fmt.Println(n)
	}
	// Output:
	// [0 1]
	// [2 3]
	// [4]
}

func TestLearningRateIsSetBetweenSteps(t *testing.T) {
	e := engine(t, nil)
	trainer, data := good[*percale.Trainer](t)(twoLayers.Compile(e, training)), signs(t, e)
	if err := trainer.SetLearningRate(0.5); err != nil {
		t.Fatal(err)
	}
	var rates []float64
	err := trainer.Fit(background, data, 1, func(p percale.Progress) bool {
		rates = append(rates, p.LearningRate)
		return trainer.SetLearningRate(p.LearningRate/2) == nil
	})
	if err != nil || !slices.Equal(rates, []float64{0.5, 0.25, 0.125, 0.0625}) {
		t.Errorf("%v, rates %v", err, rates)
	}
	wants(t, trainer.SetLearningRate(-1), percale.InvalidArgument, "the learning rate is -1")
}

func TestFolderIsLockedForOneRun(t *testing.T) {
	e, folder := engine(t, nil), t.TempDir()
	first, second := good[*percale.Trainer](t)(twoLayers.Compile(e, training)), good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	if err := errors.Join(first.LockFolder(folder, false), first.Save(folder)); err != nil {
		t.Fatal(err)
	}
	wants(t, second.LockFolder(folder, false), percale.Unavailable, folder)
	first.Close()
	wants(t, second.LockFolder(folder, false), percale.AlreadyExists, "another run")
	if err := second.LockFolder(folder, true); err != nil {
		t.Error(err)
	}
	// the checkpoint that the first trainer saved was removed
	wants(t, second.Restore(folder), percale.NotFound)
}

func TestEmbeddingTakesIdsOfAnyIntegers(t *testing.T) {
	e := engine(t, nil)
	model := percale.Sequential(percale.Embedding(5, 3, percale.Words{"input_shape": []int{2}}), percale.Flatten(), percale.Dense(2))
	y := good[*percale.Tensor](t)(percale.FromSlice([]int64{0, 1, 0}))
	longs := good[*percale.Tensor](t)(percale.FromSlice([]int64{0, 1, 2, 3, 4, 0}, 3, 2))
	ints := good[*percale.Tensor](t)(percale.FromSlice([]int32{0, 1, 2, 3, 4, 0}, 3, 2))
	var digests []string
	for _, x := range []*percale.Tensor{longs, ints} {
		trainer := good[*percale.Trainer](t)(model.Compile(e, percale.Training{Optimizer: "sgd", Loss: "sparse_categorical_crossentropy", FromLogits: true}))
		data := good[*percale.Dataset](t)(percale.DatasetFromTensors(e, percale.Feeds{"x": x, "y": y}))
		if err := trainer.Fit(background, data, 2, nil); err != nil {
			t.Fatal(err)
		}
		served, variables := good[*percale.Graph](t)(trainer.Model()), good[*percale.Variables](t)(trainer.Variables())
		session := good[*percale.Session](t)(percale.NewSession(e, served, variables, nil))
		good[[]*percale.Tensor](t)(session.Run(background, percale.Feeds{"x": longs}, served.Outputs()...))
		digests = append(digests, good[string](t)(variables.Digest()))
	}
	if digests[0] != digests[1] {
		t.Errorf("i64 gives %s, i32 %s", digests[0], digests[1])
	}
}

func TestModelThatIsCompiledAgainKeepsItsWeights(t *testing.T) {
	e := engine(t, nil)
	first, data := good[*percale.Trainer](t)(twoLayers.Compile(e, training)), signs(t, e)
	if err := first.Fit(background, data, 2, nil); err != nil {
		t.Fatal(err)
	}
	longer := append(slices.Clone(twoLayers), percale.Dense(10))
	second := good[*percale.Trainer](t)(longer.Compile(e, percale.Training{
		Optimizer: percale.Words{"name": "sgd", "learning_rate": 0.125}, Loss: "sparse_categorical_crossentropy", FromLogits: true,
		Schedule: []any{percale.Words{"name": "warm_up", "steps": 4}, "cosine"}, WeightsOf: first, More: percale.Words{"epochs": 9}}))
	before, after := good[*percale.Variables](t)(first.Variables()), good[*percale.Variables](t)(second.Variables())
	if len(before.Names()) != 4 || len(after.Names()) != 6 {
		t.Errorf("%v, then %v", before.Names(), after.Names())
	}
	for _, name := range before.Names() {
		trained := good[[]float32](t)(percale.Values[float32](good[*percale.Tensor](t)(before.Value(name))))
		if kept := good[[]float32](t)(percale.Values[float32](good[*percale.Tensor](t)(after.Value(name)))); !slices.Equal(trained, kept) {
			t.Errorf("%s is %v, it was %v", name, kept, trained)
		}
	}
	var rates []float64
	err := second.Fit(background, data, 1, func(p percale.Progress) bool { rates = append(rates, p.LearningRate); return true })
	if err != nil || rates[0] >= rates[1] || rates[1] >= 0.125 {
		t.Errorf("%v, rates %v", err, rates)
	}
}

func TestTrainerPredictsInBatchesAlsoBeforeItsFirstFit(t *testing.T) {
	e := engine(t, nil)
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	x := good[*percale.Tensor](t)(percale.FromSlice([]float32{1, 2, 3, 4, 5}, 5, 1))
	whole, parts := good[*percale.Tensor](t)(trainer.Predict(background, x, 5)), good[*percale.Tensor](t)(trainer.Predict(background, x, 2))
	if !slices.Equal(parts.Dims(), []int64{5, 10}) ||
		!slices.Equal(good[[]float32](t)(percale.Values[float32](whole)), good[[]float32](t)(percale.Values[float32](parts))) {
		t.Errorf("%v %v", whole.Dims(), parts.Dims())
	}
}

func TestModelOfAFileIsCompiledWithAndWithoutAHead(t *testing.T) {
	e, file := engine(t, nil), filepath.Join(t.TempDir(), "model.percale")
	trainer := good[*percale.Trainer](t)(twoLayers.Compile(e, training))
	graph, trained := good[*percale.Graph](t)(trainer.Model()), good[*percale.Variables](t)(trainer.Variables())
	if err := graph.Save(trained, file); err != nil {
		t.Fatal(err)
	}
	how := training
	how.ModelFile = file
	again := good[*percale.Trainer](t)(percale.Sequential().Compile(e, how))
	if a, b := good[string](t)(good[*percale.Variables](t)(again.Variables()).Digest()), good[string](t)(trained.Digest()); a != b {
		t.Errorf("the file's weights are %s, they were %s", a, b)
	}
	headed := good[*percale.Trainer](t)(percale.Sequential(percale.Dense(10, percale.Words{"activation": "softmax"})).Compile(e, how))
	if err := headed.Fit(background, signs(t, e), 1, nil); err != nil {
		t.Error(err)
	}
}
