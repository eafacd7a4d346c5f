package percale_test

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"percale.alt/go/percale"
)

// inCluster returns a cluster of a chief and two workers, in which this process has the role.
func inCluster(t *testing.T, job string, task int64) *percale.Cluster {
	t.Helper()
	c := good[*percale.Cluster](t)(percale.ClusterFromJSON(`{"cluster": {"worker": ["b:2", "c:3"], "chief": ["a:1"]}}`))
	if err := c.SetRole(job, task); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRanksAreThoseOfTheChiefAndTheWorkers(t *testing.T) {
	for _, test := range []struct {
		job  string
		task int64
		rank int
	}{{"chief", 0, 0}, {"worker", 0, 1}, {"worker", 1, 2}, {"evaluator", 0, -1}} {
		c := inCluster(t, test.job, test.task)
		if c.Rank() != test.rank || c.Size() != 3 {
			t.Errorf("%s %d has rank %d of %d, wanted %d of 3", test.job, test.task, c.Rank(), c.Size(), test.rank)
		}
	}
	closed := inCluster(t, "chief", 0)
	closed.Close()
	if closed.Rank() != -1 || closed.Size() != 0 {
		t.Errorf("a closed cluster has rank %d of %d", closed.Rank(), closed.Size())
	}
}

func TestCertificatesAreAFolderOrNone(t *testing.T) {
	c := inCluster(t, "chief", 0)
	for _, folder := range []string{"certificates", ""} {
		if err := c.SetCertificates(folder); err != nil {
			t.Error(err)
		}
	}
	wants(t, c.SetCertificates("a\x00b"), percale.InvalidArgument, "NUL")
}

func TestProcessThatDoesNotTrainCannotJoin(t *testing.T) {
	trainer := twoShards(t, engine(t, nil))
	wants(t, trainer.JoinCluster(inCluster(t, "evaluator", 0), time.Minute), percale.FailedPrecondition, "its job is 'evaluator'")
	wants(t, trainer.JoinCluster(nil, -1), percale.InvalidArgument, "the cluster is nil")
}

// addresses returns addresses of this machine whose ports are free.
func addresses(t *testing.T) [2]string {
	t.Helper()
	var out [2]string
	for i := range out {
		listener := good[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
		defer listener.Close()
		out[i] = listener.Addr().String()
	}
	return out
}

func TestChiefAndWorkerComputeTheBitsOfOneTrainer(t *testing.T) {
	at := addresses(t)
	type process struct {
		cluster *percale.Cluster
		trainer *percale.Trainer
		data    *percale.Dataset
	}
	var processes [2]process
	for i, job := range []string{"chief", "worker"} {
		e := engine(t, percale.Options{"threads": 1})
		tasks := fmt.Sprintf(`{"cluster": {"chief": [%q], "worker": [%q]}, "task": {"type": %q, "index": 0}}`, at[0], at[1], job)
		processes[i] = process{good[*percale.Cluster](t)(percale.ClusterFromJSON(tasks)), twoShards(t, e), signs(t, e)}
	}
	for _, err := range inGoroutines(2, func(i int) error { return processes[i].trainer.JoinCluster(processes[i].cluster, time.Minute) }) {
		if errors.Is(err, percale.Unimplemented) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	onBoth(t, func(i int) error { return processes[i].trainer.Fit(background, processes[i].data, 3, nil) })
	e := engine(t, percale.Options{"threads": 1})
	alone := twoShards(t, e)
	if err := alone.Fit(background, signs(t, e), 3, nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		if got, want := digest(t, p.trainer), digest(t, alone); got != want {
			t.Errorf("the digest is %s, that of one trainer alone %s", got, want)
		}
	}
}
