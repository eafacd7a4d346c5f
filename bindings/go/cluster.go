package percale

// #include <percale.h>
import "C"

import "unsafe"

// Cluster describes a cluster: its jobs, tasks and addresses, and the role of this process. Only
// one goroutine may use it at a time.
type Cluster struct{ owner }

func releaseCluster(p unsafe.Pointer) { clusterRelease((*C.percale_cluster)(p)) }

func newCluster(p *C.percale_cluster, err error) (*Cluster, error) {
	if err != nil {
		return nil, err
	}
	c := &Cluster{}
	return own(c, &c.owner, "cluster", unsafe.Pointer(p), releaseCluster), nil
}

// NewCluster returns an empty cluster.
func NewCluster() (*Cluster, error) { return newCluster(clusterCreate()) }

// ClusterFromJSON reads the JSON of TF_CONFIG.
func ClusterFromJSON(json string) (*Cluster, error) { return newCluster(clusterFromJson(json)) }

// ClusterFromEnvironment reads the variables that a launcher has set: TF_CONFIG, or those of
// torchrun, Kubeflow, ps-lite, MPI, Slurm or Kubernetes, in this order. It returns an error with
// code NotFound if none is set.
func ClusterFromEnvironment() (*Cluster, error) { return newCluster(clusterFromEnvironment()) }

func (c *Cluster) with(f func(p *C.percale_cluster) error) error {
	p, err := c.use()
	if err != nil {
		return err
	}
	defer c.done()
	return f((*C.percale_cluster)(p))
}

// AddTask adds a task of a job with its address, "host:port" or "unix:path".
func (c *Cluster) AddTask(job string, task int64, address string) error {
	return c.with(func(p *C.percale_cluster) error { return clusterAddTask(p, job, task, address) })
}

// SetRole sets the job and task of this process.
func (c *Cluster) SetRole(job string, task int64) error {
	return c.with(func(p *C.percale_cluster) error { return clusterSetRole(p, job, task) })
}

// Jobs returns the names of the jobs.
func (c *Cluster) Jobs() (out []string) {
	_ = c.with(func(p *C.percale_cluster) error {
		for i := range clusterJobCount(p) {
			out = append(out, clusterGetJob(p, i))
		}
		return nil
	})
	return out
}

// TaskCount returns the highest task number of a job plus one, or 0 for an unknown job.
func (c *Cluster) TaskCount(job string) (out int64) {
	_ = c.with(func(p *C.percale_cluster) error {
		out = clusterTaskCount(p, job)
		return nil
	})
	return out
}

// Address returns the address of a task as it was added. It returns "" if there is no such task or
// the source does not give its address.
func (c *Cluster) Address(job string, task int64) (out string) {
	_ = c.with(func(p *C.percale_cluster) error {
		out = clusterGetAddress(p, job, task)
		return nil
	})
	return out
}

// Role returns the job and task of this process. The job is "" if no role is set.
func (c *Cluster) Role() (job string, task int64) {
	_ = c.with(func(p *C.percale_cluster) error {
		job, task = clusterGetRole(p)
		return nil
	})
	return job, task
}

func (c *Cluster) rankAndSize() (rank, size int) {
	rank = -1
	_ = c.with(func(p *C.percale_cluster) error {
		r, s := clusterGetRank(p)
		rank, size = int(r), int(s)
		return nil
	})
	return rank, size
}

// Rank returns the number of this process among those that train together: the chief, then the
// workers in order. It returns -1 for a process that does not train, such as "ps" or "evaluator".
func (c *Cluster) Rank() int {
	rank, _ := c.rankAndSize()
	return rank
}

// Size returns the number of processes that train together.
func (c *Cluster) Size() int {
	_, size := c.rankAndSize()
	return size
}

// SetCertificates sets the folder of certificates by which the processes recognise each other:
// ca.pem, node.pem and node.key, as percale-worker --make-certificates makes them. "" means none:
// then only processes of one machine may form a group.
func (c *Cluster) SetCertificates(folder string) error {
	return c.with(func(p *C.percale_cluster) error { return clusterSetCertificates(p, folder) })
}
