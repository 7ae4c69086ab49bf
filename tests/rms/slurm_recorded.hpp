// What Slurm 22.05.8 and 24.11.5 have written on a virtual cluster of three hosts with four CPUs
// each.
#pragma once

namespace ductile::rms::recorded {

/// select/cons_tres with slurmdbd: sbatch -N2 --exclusive.
inline constexpr const char* exclusive_job =
    "JobId=1 JobName=j.sh UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=1 Nice=0 "
    "Account=root QOS=normal JobState=RUNNING Reason=None Dependency=(null) Requeue=1 Restarts=0 "
    "BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:02 TimeLimit=01:00:00 "
    "TimeMin=N/A SubmitTime=2026-11-27T00:36:29 EligibleTime=2026-11-27T00:36:29 "
    "AccrueTime=2026-11-27T00:36:29 StartTime=2026-11-27T00:36:31 EndTime=2026-11-27T01:36:31 "
    "Deadline=N/A SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-27T00:36:31 "
    "Scheduler=Main Partition=main AllocNode:Sid=head:78 ReqNodeList=(null) ExcNodeList=(null) "
    "NodeList=node[01-02] BatchHost=node01 NumNodes=2 NumCPUs=8 NumTasks=2 CPUs/Task=1 "
    "ReqB:S:C:T=0:0:*:* TRES=cpu=8,node=2,billing=8 Socks/Node=* NtasksPerN:B:S:C=0:0:*:* "
    "CoreSpec=* JOB_GRES=(null)   Nodes=node[01-02] CPU_IDs=0-3 Mem=0 GRES= MinCPUsNode=1 "
    "MinMemoryNode=0 MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 OverSubscribe=NO "
    "Contiguous=0 Licenses=(null) Network=(null) Command=/tmp/j.sh WorkDir=/tmp "
    "StdErr=/dev/null StdIn=/dev/null StdOut=/dev/null Power= \n";

/// The same with sbatch -n6 -J 'x NodeList=evil y'.
inline constexpr const char* odd_name =
    "JobId=2 JobName=x NodeList=evil y UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=1 "
    "Nice=0 Account=root QOS=normal JobState=RUNNING Reason=None Dependency=(null) Requeue=1 "
    "Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:05 "
    "TimeLimit=01:00:00 TimeMin=N/A SubmitTime=2026-11-27T00:36:34 "
    "EligibleTime=2026-11-27T00:36:34 AccrueTime=2026-11-27T00:36:34 "
    "StartTime=2026-11-27T00:36:34 EndTime=2026-11-27T01:36:34 Deadline=N/A SuspendTime=None "
    "SecsPreSuspend=0 LastSchedEval=2026-11-27T00:36:34 Scheduler=Main Partition=main "
    "AllocNode:Sid=head:78 ReqNodeList=(null) ExcNodeList=(null) NodeList=node[01-02] "
    "BatchHost=node01 NumNodes=2 NumCPUs=6 NumTasks=6 CPUs/Task=1 ReqB:S:C:T=0:0:*:* "
    "TRES=cpu=6,node=2,billing=6 Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=* "
    "JOB_GRES=(null)   Nodes=node01 CPU_IDs=0-3 Mem=0 GRES=   Nodes=node02 CPU_IDs=0-1 Mem=0 GRES= "
    "MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 "
    "OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null) Command=/tmp/j.sh WorkDir=/tmp "
    "StdErr=/dev/null StdIn=/dev/null StdOut=/dev/null Power= \n";

/// select/linear without accounting: sbatch -N2 --time=UNLIMITED, which waits.
inline constexpr const char* waiting_job =
    "JobId=2 JobName=j.sh UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=1 Nice=0 "
    "Account=(null) QOS=(null) JobState=PENDING Reason=Resources Dependency=(null) Requeue=1 "
    "Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:00 "
    "TimeLimit=UNLIMITED TimeMin=N/A SubmitTime=2026-11-27T00:48:04 "
    "EligibleTime=2026-11-27T00:48:04 AccrueTime=Unknown StartTime=Unknown EndTime=Unknown "
    "Deadline=N/A SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-27T00:48:04 "
    "Scheduler=Main Partition=main AllocNode:Sid=head:149 ReqNodeList=(null) ExcNodeList=(null) "
    "NodeList= NumNodes=2-2 NumCPUs=2 NumTasks=2 CPUs/Task=1 ReqB:S:C:T=0:0:*:* "
    "TRES=cpu=2,mem=2000M,node=2,billing=2 Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=* "
    "MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 "
    "OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null) Command=/tmp/j.sh WorkDir=/tmp "
    "StdErr=/dev/null StdIn=/dev/null StdOut=/dev/null Power= \n";

/// squeue --states=all in the format listed_format. Job 4 asked for more CPUs than a host has.
/// Slurm refused it, but still lists it for a while.
inline constexpr const char* listing =
    "5|PENDING|1||Resources\n"
    "3|RUNNING|4|node03|None\n"
    "2|CANCELLED|4|node02|None\n"
    "4|FAILED|1||BadConstraints\n";

inline constexpr const char* version = "slurm-wlm 22.05.8\n";

}  // namespace ductile::rms::recorded

/// What Slurm 24.11.5 has written on the same cluster, select/cons_tres with slurmdbd.
namespace ductile::rms::recorded::slurm_24_11 {

/// sbatch -N2 --exclusive.
inline constexpr const char* exclusive_job =
    "JobId=1 JobName=j.sh UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=1 Nice=0 "
    "Account=root QOS=normal JobState=RUNNING Reason=None Dependency=(null) Requeue=1 Restarts=0 "
    "BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:00 TimeLimit=01:00:00 "
    "TimeMin=N/A SubmitTime=2026-11-27T21:40:40 EligibleTime=2026-11-27T21:40:40 "
    "AccrueTime=2026-11-27T21:40:40 StartTime=2026-11-27T21:40:43 EndTime=2026-11-27T22:40:43 "
    "Deadline=N/A SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-27T21:40:43 "
    "Scheduler=Main Partition=main AllocNode:Sid=head:176 ReqNodeList=(null) ExcNodeList=(null) "
    "NodeList=node[01-02] BatchHost=node01 NumNodes=2 NumCPUs=8 NumTasks=2 CPUs/Task=1 "
    "ReqB:S:C:T=0:0:*:* ReqTRES=cpu=2,mem=2000M,node=2,billing=2 "
    "AllocTRES=cpu=8,node=2,billing=8 Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=* "
    "JOB_GRES=(null)   Nodes=node[01-02] CPU_IDs=0-3 Mem=0 GRES= MinCPUsNode=1 MinMemoryNode=0 "
    "MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 OverSubscribe=NO Contiguous=0 "
    "Licenses=(null) Network=(null) Command=/tmp/j.sh WorkDir=/tmp StdErr=/dev/null "
    "StdIn=/dev/null StdOut=/dev/null \n";

/// The same after scontrol update nodelist=node01.
inline constexpr const char* shrunk_job =
    "JobId=1 JobName=j.sh UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=1 Nice=0 "
    "Account=root QOS=normal JobState=RUNNING Reason=None Dependency=(null) Requeue=1 Restarts=0 "
    "BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:00 TimeLimit=01:00:00 "
    "TimeMin=N/A SubmitTime=2026-11-27T21:40:40 EligibleTime=2026-11-27T21:40:40 "
    "AccrueTime=2026-11-27T21:40:40 ResizeTime=2026-11-27T21:40:43 StartTime=2026-11-27T21:40:43 "
    "EndTime=2026-11-27T22:40:43 Deadline=N/A SuspendTime=None SecsPreSuspend=0 "
    "LastSchedEval=2026-11-27T21:40:43 Scheduler=Main Partition=main AllocNode:Sid=head:176 "
    "ReqNodeList=(null) ExcNodeList=(null) NodeList=node01 BatchHost=node01 NumNodes=1 NumCPUs=4 "
    "NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:* ReqTRES=cpu=2,mem=2000M,node=2,billing=2 "
    "AllocTRES=cpu=4,node=1,billing=4 Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=* "
    "JOB_GRES=(null)   Nodes=node01 CPU_IDs=0-3 Mem=0 GRES= MinCPUsNode=1 MinMemoryNode=0 "
    "MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 OverSubscribe=NO Contiguous=0 "
    "Licenses=(null) Network=(null) Command=/tmp/j.sh WorkDir=/tmp StdErr=/dev/null "
    "StdIn=/dev/null StdOut=/dev/null \n";

/// sbatch -N2 -n6 -J 'x NodeList=evil y'.
inline constexpr const char* odd_name =
    "JobId=2 JobName=x NodeList=evil y UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=1 "
    "Nice=0 Account=root QOS=normal JobState=RUNNING Reason=None Dependency=(null) Requeue=1 "
    "Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:01 "
    "TimeLimit=01:00:00 TimeMin=N/A SubmitTime=2026-11-27T21:40:44 "
    "EligibleTime=2026-11-27T21:40:44 AccrueTime=2026-11-27T21:40:44 "
    "StartTime=2026-11-27T21:40:44 EndTime=2026-11-27T22:40:44 Deadline=N/A SuspendTime=None "
    "SecsPreSuspend=0 LastSchedEval=2026-11-27T21:40:44 Scheduler=Main Partition=main "
    "AllocNode:Sid=head:176 ReqNodeList=(null) ExcNodeList=(null) NodeList=node[01-02] "
    "BatchHost=node01 NumNodes=2 NumCPUs=6 NumTasks=6 CPUs/Task=1 ReqB:S:C:T=0:0:*:* "
    "ReqTRES=cpu=6,mem=2000M,node=2,billing=6 AllocTRES=cpu=6,node=2,billing=6 Socks/Node=* "
    "NtasksPerN:B:S:C=0:0:*:* CoreSpec=* JOB_GRES=(null)   Nodes=node01 CPU_IDs=0-3 Mem=0 GRES=  "
    " Nodes=node02 CPU_IDs=0-1 Mem=0 GRES= MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0 "
    "Features=(null) DelayBoot=00:00:00 OverSubscribe=OK Contiguous=0 Licenses=(null) "
    "Network=(null) Command=/tmp/j.sh WorkDir=/tmp StdErr=/dev/null StdIn=/dev/null "
    "StdOut=/dev/null \n";

/// sbatch -N2-3 --ntasks-per-node=4 --time=UNLIMITED, which waits.
inline constexpr const char* waiting_job =
    "JobId=4 JobName=j.sh UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=1 Nice=0 "
    "Account=root QOS=normal JobState=PENDING Reason=Priority Dependency=(null) Requeue=1 "
    "Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:00 "
    "TimeLimit=UNLIMITED TimeMin=N/A SubmitTime=2026-11-27T21:40:45 "
    "EligibleTime=2026-11-27T21:40:45 AccrueTime=2026-11-27T21:40:45 StartTime=Unknown "
    "EndTime=Unknown Deadline=N/A SuspendTime=None SecsPreSuspend=0 "
    "LastSchedEval=2026-11-27T21:40:46 Scheduler=Main Partition=main AllocNode:Sid=head:176 "
    "ReqNodeList=(null) ExcNodeList=(null) NodeList= NumNodes=3-3 NumCPUs=8 NumTasks=8 "
    "CPUs/Task=1 ReqB:S:C:T=0:0:*:* ReqTRES=cpu=8,mem=2000M,node=2,billing=8 AllocTRES=(null) "
    "Socks/Node=* NtasksPerN:B:S:C=4:0:*:* CoreSpec=* MinCPUsNode=4 MinMemoryNode=0 "
    "MinTmpDiskNode=0 Features=(null) DelayBoot=00:00:00 OverSubscribe=OK Contiguous=0 "
    "Licenses=(null) Network=(null) Command=/tmp/j.sh WorkDir=/tmp StdErr=/dev/null "
    "StdIn=/dev/null StdOut=/dev/null \n";

/// squeue --states=all in the format listed_format.
inline constexpr const char* listing =
    "1|CANCELLED|4|node01|None\n"
    "11|FAILED|40||BadConstraints\n"
    "7|PENDING|1||BeginTime\n"
    "9|PENDING|1||Priority\n"
    "8|PENDING|9||Priority\n"
    "6|PENDING|1||Dependency\n"
    "5|PENDING|1||Priority\n"
    "4|PENDING|8||Priority\n"
    "3|PENDING|3||Resources\n"
    "10|PENDING|1||JobHeldUser\n"
    "2|RUNNING|6|node[01-02]|None\n";

/// squeue --states=pending in the format waiting_format: by begin time, sidecar, -n 9, dependency,
/// array, -N2-3 --ntasks-per-node=4, -N3 --exclusive, held.
inline constexpr const char* waiting =
    "7|1|cpu=1,mem=1000M,node=1,billing=1|BeginTime|N/A                                            "
    "                 |(null)          |j.sh     \n"
    "9|1|cpu=1,mem=1000M,node=1,billing=1|Priority|N/A                                             "
    "                |for 7           |ductile-x\n"
    "8|3|cpu=9,mem=1000M,node=1,billing=9|Priority|N/A                                             "
    "                |(null)          |j.sh     \n"
    "6|1|cpu=1,mem=1000M,node=1,billing=1|Dependency|N/A                                           "
    "                  |(null)          |j.sh     \n"
    "5|1|cpu=1,mem=1000M,node=1,billing=1|Priority|3-9%2                                           "
    "                |(null)          |j.sh     \n"
    "4|3|cpu=8,mem=2000M,node=2,billing=8|Priority|N/A                                             "
    "                |(null)          |j.sh     \n"
    "3|3|cpu=3,mem=3000M,node=3,billing=3|Resources|N/A                                            "
    "                 |(null)          |j.sh     \n"
    "10|2|cpu=1,mem=2000M,node=2,billing=1|JobHeldUser|N/A                                         "
    "                    |(null)          |j.sh     \n";

/// squeue --states=pending in the format priority_format.
inline constexpr const char* priorities =
    "7|1|0\n"
    "9|1|0\n"
    "8|1|0\n"
    "6|1|0\n"
    "5|1|0\n"
    "4|1|0\n"
    "3|1|5\n"
    "10|0|0\n";

/// sinfo in the format hosts_format.
inline constexpr const char* hosts =
    "1|mixed|4\n"
    "1|allocated|4\n"
    "1|idle|4\n";

/// The same with a drained host.
inline constexpr const char* hosts_drained =
    "1|drained|4\n"
    "1|mixed|4\n"
    "1|allocated|4\n";

/// squeue --steps in the format steps_format.
inline constexpr const char* steps =
    "2.0|node[01-02]\n"
    "2.batch|node01\n"
    "2.extern|node[01-02]\n";

inline constexpr const char* version = "slurm-wlm 24.11.5\n";

}  // namespace ductile::rms::recorded::slurm_24_11
