package percale

// #include <percale.h>
import "C"

import "unsafe"

// Cluster describes a cluster: jobs, tasks, addresses, the own role. For one goroutine at a time.
type Cluster struct{ owner }

func releaseCluster(p unsafe.Pointer) { clusterRelease((*C.percale_cluster)(p)) }

func newCluster(p *C.percale_cluster, err error) (*Cluster, error) {
	if err != nil {
		return nil, err
	}
	c := &Cluster{}
	return own(c, &c.owner, "cluster", unsafe.Pointer(p), releaseCluster), nil
}

// NewCluster is empty.
func NewCluster() (*Cluster, error) { return newCluster(clusterCreate()) }

// ClusterFromJSON reads the JSON of TF_CONFIG.
func ClusterFromJSON(json string) (*Cluster, error) { return newCluster(clusterFromJson(json)) }

// ClusterFromEnvironment reads TF_CONFIG, SLURM_*, RANK and WORLD_SIZE, or OMPI_*; NotFound without any.
func ClusterFromEnvironment() (*Cluster, error) { return newCluster(clusterFromEnvironment()) }

func (c *Cluster) with(f func(p *C.percale_cluster) error) error {
	p, err := c.use()
	if err != nil {
		return err
	}
	defer c.done()
	return f((*C.percale_cluster)(p))
}

// AddTask names a task's address, "host:port".
func (c *Cluster) AddTask(job string, task int64, address string) error {
	return c.with(func(p *C.percale_cluster) error { return clusterAddTask(p, job, task, address) })
}

// SetRole says which task this process is.
func (c *Cluster) SetRole(job string, task int64) error {
	return c.with(func(p *C.percale_cluster) error { return clusterSetRole(p, job, task) })
}

// Jobs are the names of the jobs.
func (c *Cluster) Jobs() (out []string) {
	_ = c.with(func(p *C.percale_cluster) error {
		for i := range clusterJobCount(p) {
			out = append(out, clusterGetJob(p, i))
		}
		return nil
	})
	return out
}

// TaskCount is one more than the highest number of a task; 0 for an unknown job.
func (c *Cluster) TaskCount(job string) (out int64) {
	_ = c.with(func(p *C.percale_cluster) error {
		out = clusterTaskCount(p, job)
		return nil
	})
	return out
}

// Address is "host:port"; "" where the source does not tell it, or there is no such task.
func (c *Cluster) Address(job string, task int64) (out string) {
	_ = c.with(func(p *C.percale_cluster) error {
		out = clusterGetAddress(p, job, task)
		return nil
	})
	return out
}

// Role is the own job ("" when none was given) and task.
func (c *Cluster) Role() (job string, task int64) {
	_ = c.with(func(p *C.percale_cluster) error {
		job, task = clusterGetRole(p)
		return nil
	})
	return job, task
}
