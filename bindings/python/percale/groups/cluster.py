"""The description of a cluster."""
import os
from typing import Any, List, Optional, Tuple, Union

from .._library import ffi, lib, path_of, string
from ..errors import check
from ..handle import ExclusiveHandle, exclusive, out


class Cluster(ExclusiveHandle):
    """Describes a cluster: its jobs, tasks and addresses, and the role of this process.

        cluster = pc.Cluster.from_environment()
        trainer.join_cluster(cluster)

    Only one thread at a time may use it.
    """

    kind = "cluster"

    def __init__(self) -> None:
        """Creates an empty cluster."""
        pointer = out("cluster")
        check(lib.percale_cluster_create(pointer))
        super().__init__(pointer[0])

    @classmethod
    def _taken(cls, pointer: Any) -> "Cluster":
        cluster = cls.__new__(cls)
        ExclusiveHandle.__init__(cluster, pointer[0])
        return cluster

    @classmethod
    def from_json(cls, text: str) -> "Cluster":
        """Creates a cluster from the JSON of TF_CONFIG."""
        pointer, encoded = out("cluster"), text.encode()
        check(lib.percale_cluster_from_json(encoded, len(encoded), pointer))
        return cls._taken(pointer)

    @classmethod
    def from_environment(cls) -> "Cluster":
        """Creates a cluster from the variables that a launcher has set.

        They are TF_CONFIG, or those of torchrun, Kubeflow, ps-lite, MPI, Slurm or Kubernetes, in
        this order. Raises NotFound if none is set.
        """
        pointer = out("cluster")
        check(lib.percale_cluster_from_environment(pointer))
        return cls._taken(pointer)

    @exclusive
    def add_task(self, job: str, task: int, address: str) -> None:
        """Adds a task of a job, counted from 0, with its address, "host:port" or "unix:path"."""
        check(lib.percale_cluster_add_task(self.c, job.encode(), task, address.encode()))

    @exclusive
    def set_role(self, job: str, task: int) -> None:
        """Sets the job and task of this process."""
        check(lib.percale_cluster_set_role(self.c, job.encode(), task))

    @exclusive
    def set_certificates(self, folder: Union[None, str, "os.PathLike[str]"]) -> None:
        """Sets the folder of certificates by which the processes recognise each other.

        It has ca.pem, node.pem and node.key, as `percale-worker --make-certificates` makes them.
        None means none: then only processes of one machine may form a group.
        """
        check(lib.percale_cluster_set_certificates(self.c, b"" if folder is None else path_of(folder)))

    @property
    @exclusive
    def jobs(self) -> List[str]:
        """The names of the jobs, in the order in which they were added."""
        return [string(lib.percale_cluster_get_job(self.c, i)) for i in range(lib.percale_cluster_job_count(self.c))]

    @exclusive
    def task_count(self, job: str) -> int:
        """Returns the highest task number of a job plus one; 0 for an unknown job."""
        return lib.percale_cluster_task_count(self.c, job.encode())

    @exclusive
    def address(self, job: str, task: int) -> Optional[str]:
        """Returns the address of a task as it was added.

        It is "" if the source does not give it, and None if there is no such task.
        """
        return string(lib.percale_cluster_get_address(self.c, job.encode(), task))

    @property
    @exclusive
    def role(self) -> Tuple[str, int]:
        """The job and task of this process. The job is "" if no role is set."""
        task = ffi.new("int64_t*")
        return string(lib.percale_cluster_get_role(self.c, task)), task[0]

    @property
    @exclusive
    def rank(self) -> int:
        """The number of this process among those that train together.

        The chief comes first, then the workers in order. -1 for a process that does not train, such
        as "ps" or "evaluator".
        """
        return lib.percale_cluster_get_rank(self.c, ffi.NULL)

    @property
    @exclusive
    def size(self) -> int:
        """The number of processes that train together."""
        size = ffi.new("int64_t*")
        lib.percale_cluster_get_rank(self.c, size)
        return size[0]
