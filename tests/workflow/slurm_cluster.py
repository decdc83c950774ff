"""A real SLURM cluster in one folder: one node with two pretended GPUs.

Debian's packages are unpacked, not installed: where SLURM is installed but not running, every call
of Snakemake waits for it. No root is needed. Free ports and a separate socket of munge let several
clusters run beside each other and beside the system's.
"""

import contextlib
import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins", "munge")
CLIENTS = ("sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo")
ACCOUNTING_CLIENTS = ("sacct", "sacctmgr", "sshare")
GPUS = ("/dev/zero", "/dev/null")  # any device files: nothing opens them


class Unavailable(Exception):
    """SLURM cannot be unpacked on this machine."""


def unpack(folder: Path, further: tuple[str, ...] = ()) -> Path:
    """Unpacks SLURM, munge and further packages below a folder.

    Raises:
        Unavailable: the system is not Debian, or its archive cannot be reached.
    """
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise Unavailable("SLURM comes from Debian's archive, and this system has no apt")
    (folder / "lists/partial").mkdir(parents=True)
    options = ["-o", f"Dir::State::Lists={folder / 'lists'}", "-o", f"Dir::Cache={folder}"]
    try:
        _download(folder, [], further)
    except subprocess.CalledProcessError:
        try:
            _run(["apt-get", *options, "update", "-qq"], folder)
            _download(folder, options, further)
        except subprocess.CalledProcessError as error:
            raise Unavailable(f"Debian's archive: {error.stderr.strip()[-300:]}") from None
    for package in folder.glob("*.deb"):
        _run(["dpkg-deb", "-x", str(package), str(folder / "root")], folder)
    return folder / "root"


def _download(folder: Path, options: list[str], further: tuple[str, ...]) -> None:
    packages = (*PACKAGES, *further)
    simulation = ["install", "--simulate", "-qq", "--no-install-recommends", *packages]
    output = _run(["apt-get", *options, *simulation], folder)
    dependencies = re.findall(r"^Inst (\S+)", output, re.M)
    _run(["apt-get", *options, "download", "-qq", *sorted({*packages, *dependencies})], folder)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


class Cluster:
    """A cluster that runs within its context.

    Args:
        root: folder of the unpacked programs.
        folder: for configuration, state and logs; its path must be short (munge's socket).
    """

    nodes: tuple[str, ...] = ("node",)
    gpu_nodes: tuple[str, ...] = nodes

    def __init__(self, root: Path, folder: Path):
        self._root = root
        self._folder = folder
        self._plugins = next(root.rglob("libslurmfull.so")).parent
        self._daemons: dict[str, subprocess.Popen] = {}
        inherited = {name: value for name, value in os.environ.items() if name[:5] != "SLURM"}
        self._settings = {
            "LD_LIBRARY_PATH": f"{self._plugins}:{self._plugins.parent}",
            "SLURM_CONF": str(folder / "slurm.conf"),
        }
        self._environment = inherited | self._settings
        self.prolog = folder / "prolog.log"

    def __enter__(self) -> "Cluster":
        try:
            self._configure()
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        if self.nodes[-1] in self._daemons:
            with contextlib.suppress(subprocess.CalledProcessError):
                self.clear()
        for daemon in reversed(self._daemons.values()):
            daemon.send_signal(signal.SIGCONT)
            daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
            daemon.kill()
            daemon.wait()

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which a process finds the clients, without their libraries."""
        return {"PATH": f"{self._folder / 'bin'}:{os.environ['PATH']}"}

    def __call__(self, *command: str) -> str:
        """Runs a client and returns its output."""
        client = [str(self._folder / "bin" / command[0]), *command[1:]]
        return subprocess.run(client, capture_output=True, text=True, check=True).stdout

    def jobs(self) -> list[dict[str, str]]:
        """All jobs, running and ended, as scontrol shows them; a task of an array is a job."""
        lines = self("scontrol", "--oneliner", "show", "job").splitlines()
        return [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in lines if "JobId=" in line]

    def clear(self) -> None:
        """Cancels all jobs, and waits until they have ended."""
        self("scancel", "--user", getpass.getuser())
        self.wait(lambda: not self("squeue", "--noheader"))

    def gpus_seen(self) -> dict[str, str]:
        """CUDA_VISIBLE_DEVICES of each job's processes, by job."""
        return dict(line.split(maxsplit=1) for line in self.prolog.read_text().splitlines())

    # --- starting --------------------------------------------------------------------------

    def _configure(self) -> None:
        folder = self._folder
        user = getpass.getuser()
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool", "bin", "log"):
            (folder / name).mkdir()
        (folder / "munge.key").write_bytes(os.urandom(1024))
        (folder / "munge.key").chmod(0o400)
        task = folder / "prolog.sh"
        task.write_text(
            f'#!/bin/sh\necho "$SLURM_JOB_ID [$CUDA_VISIBLE_DEVICES]" >> {self.prolog}\n'
        )
        task.chmod(0o755)
        (folder / "slurm.conf").write_text(self._common(user, host) + self._site(host))
        nodes = ",".join(self.gpu_nodes)
        gpus = "".join(f"NodeName={nodes} Name=gpu Type=h200 File={device}\n" for device in GPUS)
        (folder / "gres.conf").write_text(gpus)
        for client in CLIENTS + ACCOUNTING_CLIENTS:
            self._wrap(client)

    def _common(self, user: str, host: str) -> str:
        folder = self._folder
        return f"""
ClusterName=steadfast
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_ports(1)[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
PluginDir={self._plugins}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmdParameters=config_overrides
MailProg=/bin/true
TaskProlog={folder}/prolog.sh
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
MinJobAge=3600
KillWait=2
GresTypes=gpu
"""

    def _site(self, host: str) -> str:
        """Nodes, partitions and accounting, which subclasses change."""
        return f"""
SlurmdPort={free_ports(1)[0]}
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=500000 Gres=gpu:h200:2
PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

    def _wrap(self, client: str) -> None:
        script = self._folder / "bin" / client
        exports = "".join(f"export {name}='{value}'\n" for name, value in self._settings.items())
        script.write_text(f'#!/bin/sh\n{exports}exec {self._root}/usr/bin/{client} "$@"\n')
        script.chmod(0o755)

    def _start(self) -> None:
        folder = self._folder
        kinds = ("key", "pid", "log", "seed")
        files = [f"--{kind}-file={folder}/munge.{kind}" for kind in kinds]
        # Forced, since others may write to a folder above.
        options = ["--foreground", "--force", f"--socket={folder}/munge.socket"]
        self._daemon("munged", *options, *files)
        self.wait((folder / "munge.socket").exists)
        self._start_slurm()
        self.wait(lambda: self("sinfo", "--noheader", "--Node", "--format=%T").count("idle"))

    def _start_slurm(self) -> None:
        self.start_controller()
        for node in self.nodes:
            (self._folder / "spool" / node).mkdir()
            self.start_node(node)

    def start_controller(self) -> None:
        """Starts slurmctld, also after a stop."""
        self._daemon("slurmctld", "-D", "-f", self._environment["SLURM_CONF"])

    def start_node(self, node: str) -> None:
        """Starts a node's slurmd, also after a stop."""
        stepd = ["-d", str(self._link("slurmstepd")), "-f", self._environment["SLURM_CONF"]]
        self._daemon("slurmd", "-D", "-N", node, *stepd, known_as=node)

    def stop(self, daemon: str) -> None:
        """Stops slurmctld, slurmdbd, or the slurmd of a node."""
        process = self._daemons.pop(daemon)
        process.terminate()
        process.wait()

    def _daemon(self, name: str, *arguments: str, known_as: str | None = None) -> None:
        with open(self._folder / "log" / (known_as or name), "a") as log:
            self._daemons[known_as or name] = subprocess.Popen(
                [self._link(name), *arguments],
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
            )

    def _link(self, name: str) -> Path:
        # Debian's files are slurmctld-wlm and the like, but programs read the name of the command.
        link = self._folder / name
        if not link.exists():
            programs = self._root / "usr/sbin"
            debian = programs / f"{name}-wlm"
            link.symlink_to(debian if debian.exists() else programs / name)
        return link

    def wait(self, condition, seconds: float = 60) -> None:
        """Waits until a condition holds; a client that fails is called again."""
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(subprocess.CalledProcessError):
                if condition():
                    return
            if time.monotonic() > end:
                paths = self._folder.glob("log/*")
                logs = [f"{path.name}: {path.read_text()[-1500:]}" for path in paths]
                raise TimeoutError("the cluster does not answer\n" + "\n".join(logs))
            time.sleep(0.2)


def free_ports(count: int) -> list[int]:
    """Ports on which nothing listens."""
    ports = []
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            listener = stack.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            ports.append(listener.getsockname()[1])
    return ports
