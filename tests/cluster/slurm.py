"""A real Slurm on this machine: a controller and three nodes, from Debian's packages, without systemd."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo")
NODES = ("n1", "n2", "n3")

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# How soon a requeued job may start.
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
SlurmdSpoolDir={folder}/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1,sched_min_interval=0
SlurmdTimeout=5
KillWait=1
MessageTimeout=5
JobRequeue=1
ReturnToService=2
SlurmdParameters=config_overrides
GresTypes=gpu
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Returns what is missing for a cluster; empty if one can be made."""
    if os.geteuid() != 0:
        return "it takes root"
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return ", ".join(name for name in PROGRAMS if not shutil.which(name, path=path))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_until(what, ready, seconds=60):
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.1)


def alive(pid):
    return pathlib.Path(f"/proc/{pid}").exists()


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH"))},
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin",
        }

    def run(self, *words, **more):
        environment = {**self.environment, **more.pop("environment", {})}
        return subprocess.run(words, env=environment, check=True, capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, **more).stdout

    def start(self):
        for name in ("munge", "state"):
            (self.folder / name).mkdir()
        self.folder.chmod(0o755)
        (self.folder / "munge").chmod(0o711)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.run("munged", "--force", *(f"--{option}={self.folder}/munge/{name}" for option, name in
                                        (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"),
                                         ("log-file", "log"), ("seed-file", "seed"))))
        host = socket.gethostname().split(".")[0]
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=4 "
                          f"RealMemory=1000 Gres=gpu:1" for name in NODES)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(host=host, port=free_port(), folder=self.folder, nodes=nodes))
        version = re.search(r"(\d+)\.(\d+)", self.run("slurmd", "-V"))
        # Others look for cgroups that containers may not have; v1 does so when there are tasks for it.
        plugin = "disabled" if (int(version[1]), int(version[2])) >= (24, 5) else "cgroup/v1"
        (self.folder / "cgroup.conf").write_text(f"CgroupPlugin={plugin}\n")
        (self.folder / "gpu0").touch()  # stands for a device
        (self.folder / "gres.conf").write_text(f"Name=gpu File={self.folder}/gpu0\n")
        self.run("slurmctld", "-c")
        for name in NODES:
            self.start_node(name)
        wait_until("nodes", lambda: self.run("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == str(len(NODES)))

    def start_node(self, name):
        (self.folder / f"spool-{name}").mkdir(exist_ok=True)
        self.run("slurmd", "-N", name)

    def pid(self, name):
        return int((self.folder / f"{name}.pid").read_text())

    def processes_of(self, node):
        """Returns the node's daemon, the daemons of its steps, and their tasks, in this order. Another cluster on this
        machine may have a node of that name."""
        steps, tasks = set(), set()
        marks = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self.environment['SLURM_CONF']}".encode()}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if not marks <= set((folder / "environ").read_bytes().split(b"\0")):
                    continue
                tasks.add(int(folder.name))
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if (pathlib.Path("/proc") / str(parent) / "comm").read_text().startswith("slurmstepd"):
                    steps.add(parent)
            except OSError:
                continue  # it has ended meanwhile
        return [self.pid(node), *steps, *tasks]

    def kill_node(self, node):
        """Kills all of a node, as if its power had failed: no process is left to report the end of others."""
        for pid in self.processes_of(node):
            self.kill(pid)

    def wait_for_loss(self, node):
        """Waits until the controller has noticed the loss. If the node came back before, the controller would wait a
        minute or more for the end of its tasks."""
        wait_until(f"{node} down", lambda: "down" in self.run("sinfo", "-h", "-n", node, "-o", "%T"))

    def kill_daemon(self, node):
        """Kills only the daemon: its tasks live on."""
        self.kill(self.pid(node))

    @staticmethod
    def kill(pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def jobs(self):
        return self.run("squeue", "-h", "-r", "-o", "%i %T %N").splitlines()

    def stop(self):
        """Stops all of the cluster, even if it did not come up."""
        for node in NODES:
            if (self.folder / f"{node}.pid").exists():
                self.kill_node(node)
        for name in ("slurmctld.pid", "munge/pid"):
            if (self.folder / name).exists():
                self.kill(int((self.folder / name).read_text()))
