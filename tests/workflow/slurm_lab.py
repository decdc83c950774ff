"""A real SLURM cluster like a lab's: two GPU nodes and a CPU node, accounting, limits, preemption.

All nodes are on this machine, with a slurmd each.
"""

import getpass
import subprocess
from pathlib import Path

from slurm_cluster import Cluster, free_ports, unpack

PACKAGES = ("slurmdbd", "slurm-wlm-mysql-plugin", "mariadb-server-core", "mariadb-client-core")


class Lab(Cluster):
    """A cluster that runs within its context.

    Partitions: ``gpu`` (an hour at most) and ``cpu``. QoS: ``normal``, ``scavenger``, and
    ``urgent``, which preempts the others: jobs of ``normal`` are queued again, jobs of
    ``scavenger`` cancelled.
    """

    nodes = ("g1", "g2", "c1")
    gpu_nodes = ("g1", "g2")

    def _site(self, host: str) -> str:
        ports = dict(zip(self.nodes, free_ports(len(self.nodes)), strict=True))
        common = f"NodeHostname={host} NodeAddr=127.0.0.1 CPUs=16 RealMemory=500000"
        return f"""
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={self._dbd_port}
AccountingStoragePass={self._folder}/munge.socket
AccountingStorageEnforce=associations,limits,qos
AccountingStoreFlags=job_comment
PreemptType=preempt/qos
PreemptMode=REQUEUE
SlurmdTimeout=15
NodeName=g1 Port={ports["g1"]} {common} Gres=gpu:h200:2
NodeName=g2 Port={ports["g2"]} {common} Gres=gpu:h200:2
NodeName=c1 Port={ports["c1"]} {common}
PartitionName=gpu Nodes=g1,g2 Default=YES MaxTime=01:00:00 State=UP
PartitionName=cpu Nodes=c1 MaxTime=INFINITE State=UP
"""

    def _start_slurm(self) -> None:
        user = getpass.getuser()
        self._start_database(user)
        for command in (
            "add cluster steadfast",
            "add qos scavenger preemptmode=cancel",
            "add qos urgent preempt=normal,scavenger priority=1000",
            "add account lab",
            f"add user {user} account=lab qos=normal,scavenger,urgent defaultqos=normal",
        ):
            self.wait(lambda command=command: self("sacctmgr", "--immediate", *command.split()))
        super()._start_slurm()

    def _configure(self) -> None:
        self._dbd_port, self._sql_port = free_ports(2)
        super()._configure()

    def _start_database(self, user: str) -> None:
        folder = self._folder
        data = self._folder / "mysql"
        base = self._root / "usr"
        defaults = [
            "--no-defaults", f"--basedir={base}", f"--datadir={data}", f"--user={user}",
        ]  # fmt: skip
        subprocess.run(
            [
                base / "bin/mariadb-install-db", *defaults, "--skip-test-db",
                "--auth-root-authentication-method=normal",
            ],
            env=self._environment, check=True, capture_output=True,
        )  # fmt: skip
        self._daemon(
            "mariadbd", *defaults, f"--port={self._sql_port}", "--bind-address=127.0.0.1",
            f"--socket={folder}/sql.socket", f"--pid-file={folder}/sql.pid",
            f"--lc-messages-dir={base}/share/mysql", "--skip-grant-tables", "--skip-networking=0",
        )  # fmt: skip
        self.wait((folder / "sql.socket").exists)
        (folder / "slurmdbd.conf").write_text(
            f"""
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={self._dbd_port}
SlurmUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
PluginDir={self._plugins}
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={self._sql_port}
StorageUser={user}
StoragePass=none
StorageLoc=accounting
"""
        )
        (folder / "slurmdbd.conf").chmod(0o600)
        self.start_accounting()

    def start_accounting(self) -> None:
        """Starts slurmdbd, also after a stop."""
        self._daemon("slurmdbd", "-D")
        self.wait(lambda: self("sacctmgr", "--noheader", "show", "qos"))


def unpacked(folder: Path) -> Path:
    """``slurm_cluster.unpack`` with the packages of accounting."""
    return unpack(folder, PACKAGES)
