# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of the kernel's log, typed by the structure of public reports; names and numbers are others.

A text is (name, pid of who asked, lines, events); an event has what the text says, worked out by hand: sizes in KiB,
and the number of rows of the table of tasks. What is not in it is not asked.
"""


def kill(comm, victim, victim_pid, anon, constraint='none', **more):
    return dict({'kind': 'oom kill', 'comm': comm, 'victim': victim, 'victim_pid': victim_pid, 'anon_rss': anon,
                 'constraint': constraint}, **more)


PTES = '[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name'
PMDS = '[ pid ]   uid  tgid total_vm      rss nr_ptes nr_pmds swapents oom_score_adj name'
BYTES = '[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name'
PARTS = '[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj name'
STATE = 'Tasks state (memory values in pages):'


def global_5(release, asker, pid, victim, vpid, uid, anon, adj=0, gfp='0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP)', who='CPU: 1 PID'):
    """5.2 and later, of the machine."""
    return [f'{asker} invoked oom-killer: gfp_mask={gfp}, order=0, oom_score_adj=0',
            f'{who}: {pid} Comm: {asker} Not tainted {release} #1',
            'Mem-Info:', 'active_anon:1024 inactive_anon:96000 isolated_anon:0',
            ' active_file:12 inactive_file:30 isolated_file:0', STATE, BYTES,
            f'[{vpid:7d}] {uid:5d} {vpid:5d}   200000    99000   851968        0          {adj:4d} {victim}',
            f'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system.slice/x.service,'
            f'task={victim},pid={vpid},uid={uid}',
            f'Out of memory: Killed process {vpid} ({victim}) total-vm:800000kB, anon-rss:{anon}kB, file-rss:128kB, shmem-rss:4kB, '
            f'UID:{uid} pgtables:832kB oom_score_adj:{adj}',
            f'oom_reaper: reaped process {vpid} ({victim}), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB']


def memcg_5(release, asker, pid, victim, vpid, uid, anon, group, task_group, adj, limit=524288, stats=True):
    """5.3 and later, of a control group."""
    return [f'{asker} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj={adj}',
            f'CPU: 3 PID: {pid} Comm: {asker} Not tainted {release} #1',
            f'memory: usage {limit}kB, limit {limit}kB, failcnt 4071', f'swap: usage 0kB, limit {limit}kB, failcnt 0'] + \
        ([f'Memory cgroup stats for {group}:', f'anon {anon << 10}', 'file 0'] if stats else []) + \
        [STATE, BYTES, f'[{vpid:7d}] {uid:5d} {vpid:5d}   300000    99000   851968        0          {adj:4d} {victim}',
         f'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c1,mems_allowed=0,oom_memcg={group},task_memcg={task_group},'
         f'task={victim},pid={vpid},uid={uid}',
         f'Memory cgroup out of memory: Killed process {vpid} ({victim}) total-vm:1200000kB, anon-rss:{anon}kB, file-rss:64kB, '
         f'shmem-rss:0kB, UID:{uid} pgtables:832kB oom_score_adj:{adj}']


def memcg_3(asker, pid, victim, vpid, anon, group, release, limit=204800, score=998):
    """3.8 to 4.5, of a control group of version 1."""
    return [f'{asker} invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0', f'{asker} cpuset=/ mems_allowed=0',
            f'CPU: 0 PID: {pid} Comm: {asker} Not tainted {release} #1', f'Task in {group} killed as a result of limit of {group}',
            f'memory: usage {limit}kB, limit {limit}kB, failcnt 1337', 'memory+swap: usage 204800kB, limit 9007199254740988kB, failcnt 0',
            'kmem: usage 0kB, limit 9007199254740988kB, failcnt 0',
            f'Memory cgroup stats for {group}: cache:12KB rss:{anon}KB rss_huge:0KB mapped_file:4KB swap:0KB inactive_anon:0KB '
            f'active_anon:{anon}KB inactive_file:0KB active_file:0KB unevictable:0KB', PTES,
            f'[{vpid:5d}]  1000 {vpid:5d}    80000    50000     120        0             0 {victim}',
            f'Memory cgroup out of memory: Kill process {vpid} ({victim}) score {score} or sacrifice child',
            f'Killed process {vpid} ({victim}) total-vm:320000kB, anon-rss:{anon}kB, file-rss:700kB']


def global_3(asker, pid, victim, vpid, anon, release, score, tail=', shmem-rss:0kB', columns=PTES, numbers='180      100'):
    return [f'{asker} invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0', f'{asker} cpuset=/ mems_allowed=0-1',
            f'CPU: 5 PID: {pid} Comm: {asker} Tainted: G           OE  ------------   {release} #1',
            'Mem-Info:', 'active_anon:900000 inactive_anon:1000 isolated_anon:0', columns,
            f'[{vpid:5d}]   999 {vpid:5d}   900000   700000    {numbers}             0 {victim}',
            f'Out of memory: Kill process {vpid} ({victim}) score {score} or sacrifice child',
            f'Killed process {vpid} ({victim}) total-vm:3600000kB, anon-rss:{anon}kB, file-rss:0kB{tail}']


def old(release, lines, comm='httpd', pid=4000):
    return [lines[0], f'Pid: {pid}, comm: {comm} Not tainted {release} #1'] + lines[1:]


FAIL = ', nodemask=(null),cpuset=/,mems_allowed=0'

TEXTS = [
    # ---- 2.6 ----
    ('2.6.18 RHEL 5', 0, ['httpd invoked oom-killer: gfp_mask=0x201d2, order=0, oomkilladj=0', 'Mem-info:',
                          'Active:498 inactive:500 dirty:0 writeback:0 unstable:0 free:12 slab:40 mapped-file:1 mapped-anon:9 pagetables:8',
                          'Out of memory: Killed process 3456 (httpd).'],
     [kill('httpd', 'httpd', 3456, None)]),
    ('2.6.18 header alone', 0, ['oom-killer: gfp_mask=0xd0, order=1', 'Mem-info:', 'Out of Memory: Killed process 77 (cc1plus).'],
     [kill(None, 'cc1plus', 77, None, None)]),
    ('2.6.24 panic', 0, ['init invoked oom-killer: gfp_mask=0xd0, order=0, oomkilladj=0',
                         'Kernel panic - not syncing: Out of memory and no killable processes...'],
     [{'comm': 'init', 'order': 0, 'victim_pid': None, 'panic': 'Out of memory and no killable processes...'}]),
    ('2.6.26 Debian', 0, ['apache2 invoked oom-killer: gfp_mask=0x1201d2, order=0, oomkilladj=0', 'Pid: 2911, comm: apache2 Not tainted 2.6.26-2-amd64 #1',
                          'Mem-info:', 'Out of memory: kill process 2456 (apache2) score 35102 or a child', 'Killed process 2911 (apache2)'],
     [kill('apache2', 'apache2', 2911, None, pid=2911, chosen_pid=2456, score=35102)]),
    ('2.6.32 RHEL 6', 4000, old('2.6.32-754.el6.x86_64', [
        'httpd invoked oom-killer: gfp_mask=0x280da, order=0, oom_adj=0, oom_score_adj=0', 'httpd cpuset=/ mems_allowed=0', 'Mem-Info:',
        'active_anon:400000 inactive_anon:80000 isolated_anon:0', '[ pid ]   uid  tgid total_vm      rss cpu oom_adj oom_score_adj name',
        '[ 1700]    27  1700   900000   400000   1       0             0 mysqld', '[ 1800]    48  1800    50000     2000   0       0             0 httpd',
        'Out of memory: Kill process 1700 (mysqld) score 700 or sacrifice child',
        'Killed process 1700, UID 27, (mysqld) total-vm:3600000kB, anon-rss:1600000kB, file-rss:400kB']),
     [kill('httpd', 'mysqld', 1700, 1600000, pid=4000, victim_uid=27, score=700, tasks=2)]),
    ('2.6.32 RHEL 6, a control group', 4000, old('2.6.32-431.el6.x86_64', [
        'java invoked oom-killer: gfp_mask=0xd0, order=0, oom_adj=0, oom_score_adj=0', 'java cpuset=/ mems_allowed=0',
        'Task in /lxc/c1 killed as a result of limit of /lxc/c1', 'memory: usage 1048576kB, limit 1048576kB, failcnt 9',
        'Memory cgroup out of memory: Kill process 4100 (java) score 999 or sacrifice child',
        'Killed process 4100, UID 500, (java) total-vm:2000000kB, anon-rss:1040000kB, file-rss:2000kB'], 'java'),
     [kill('java', 'java', 4100, 1040000, 'memcg', memcg='/lxc/c1', victim_uid=500)]),
    ('2.6.32 vsz', 4000, old('2.6.32-5-amd64', ['perl invoked oom-killer: gfp_mask=0xd0, order=0, oom_adj=0',
                                               'Out of memory: kill process 9 (perl) score 5 or a child', 'Killed process 10 (perl) vsz:400kB, anon-rss:300kB, file-rss:4kB'], 'perl'),
     [kill('perl', 'perl', 10, 300, chosen_pid=9, total_vm=400)]),
    ('2.6.39 Ubuntu', 4000, old('2.6.38-16-generic', ['ruby invoked oom-killer: gfp_mask=0x201da, order=0, oom_adj=0, oom_score_adj=0', 'Mem-Info:',
                                                      'Out of memory: Kill process 20 (ruby) score 444 or sacrifice child',
                                                      'Killed process 21 (ruby) total-vm:90000kB, anon-rss:80000kB, file-rss:8kB'], 'ruby'),
     [kill('ruby', 'ruby', 21, 80000, chosen_pid=20, score=444)]),
    ('2.6.32 failure', 4000, old('2.6.32-220.el6.x86_64', ['swapper: page allocation failure. order:5, mode:0x20'], 'swapper', 0),
     [{'kind': 'allocation failure', 'comm': 'swapper', 'order': 5}]),
    # ---- 3.x ----
    ('3.2 Debian', 900, old('3.2.0-4-amd64', ['rsyslogd invoked oom-killer: gfp_mask=0x201da, order=0, oom_adj=0, oom_score_adj=0', 'Mem-Info:',
                                              'Out of memory: Kill process 901 (clamd) score 300 or sacrifice child',
                                              'Killed process 901 (clamd) total-vm:500000kB, anon-rss:400000kB, file-rss:1kB'], 'rsyslogd', 900),
     [kill('rsyslogd', 'clamd', 901, 400000, pid=900)]),
    ('3.10 RHEL 7', 711, global_3('tuned', 711, 'java', 9021, 2790000, '3.10.0-1127.el7.x86_64', 612),
     [kill('tuned', 'java', 9021, 2790000, pid=711, score=612, tasks=1)]),
    ('3.10 RHEL 7, UID', 711, global_3('tuned', 711, 'java', 9021, 2790000, '3.10.0-1160.el7.x86_64', 612)[:-1] +
     ['Killed process 9021 (java), UID 993, total-vm:3600000kB, anon-rss:2790000kB, file-rss:0kB, shmem-rss:12kB'],
     [kill('tuned', 'java', 9021, 2790000, victim_uid=993, shmem_rss=12)]),
    ('3.10 docker', 18300, memcg_3('node', 18300, 'node', 18300, 199000, '/docker/4f2c', '3.10.0-327.el7.x86_64'),
     [kill('node', 'node', 18300, 199000, 'memcg', memcg='/docker/4f2c', task_memcg='/docker/4f2c', pid=18300, tasks=1)]),
    ('3.13 Ubuntu 14.04', 55, global_3('sh', 55, 'python', 56, 3000000, '3.13.0-170-generic', 801, ''),
     [kill('sh', 'python', 56, 3000000, tasks=1)]),
    ('3.16 cpuset', 300, ['pg invoked oom-killer: gfp_mask=0x200da, order=0, oom_score_adj=0', 'pg cpuset=part1 mems_allowed=1',
                          'CPU: 2 PID: 300 Comm: pg Not tainted 3.16.0-4-amd64 #1',
                          'Out of memory: Kill process 300 (pg) score 8 or sacrifice child', 'Killed process 300 (pg) total-vm:9kB, anon-rss:8kB, file-rss:0kB'],
     [kill('pg', 'pg', 300, 8, cpuset='part1', mems_allowed='1')]),
    ('3.4 mempolicy', 0, ['stress invoked oom-killer: gfp_mask=0x280da, order=0, oom_adj=0, oom_score_adj=0',
                          'Out of memory (MPOL_BIND): Kill process 31 (stress) score 500 or sacrifice child',
                          'Killed process 31 (stress) total-vm:900kB, anon-rss:800kB, file-rss:0kB'],
     [kill('stress', 'stress', 31, 800, 'mempolicy')]),
    ('3.2 in a cpuset', 0, ['a invoked oom-killer: gfp_mask=0x280da, order=0, oom_adj=0, oom_score_adj=0',
                            'Out of memory in cpuset: Kill process 32 (a b) score 1 or sacrifice child',
                            'Killed process 32 (a b) total-vm:90kB, anon-rss:80kB, file-rss:0kB'],
     [kill('a', 'a b', 32, 80, 'cpuset')]),
    ('3.4 Android', 0, ['lowmemorykiller: Killing \'com.example.app\' (2712), adj 15,', "   to free 45000kB on behalf of 'kswapd0' (43) because"],
     [{'kind': 'lowmemorykiller', 'victim_pid': 2712}]),
    ('3.18 Android', 0, ["lowmemorykiller: Killing 'example.browser' (2713) (tgid 2713), adj 906,"],
     [{'kind': 'lowmemorykiller', 'victim': 'example.browser', 'victim_pid': 2713}]),
    ('3.0 Android', 0, ['send sigkill to 2714 (example.maps), adj 9, size 5120'], [{'kind': 'lowmemorykiller', 'victim': 'example.maps', 'victim_pid': 2714}]),
    ('3.10 failure', 5, ['kworker/0:1: page allocation failure: order:4, mode:0x204020', 'CPU: 0 PID: 5 Comm: kworker/0:1 Not tainted 3.10.0-514.el7.x86_64 #1', 'Mem-Info:'],
     [{'kind': 'allocation failure', 'comm': 'kworker/0:1', 'order': 4, 'pid': 5}]),
    # ---- 4.x ----
    ('4.4 Ubuntu 16.04', 60, ['mongod invoked oom-killer: gfp_mask=0x24201ca, order=0, oom_score_adj=0'] +
     global_3('mongod', 60, 'mongod', 61, 7000000, '4.4.0-210-generic', 900, '', PMDS, '180       5      100')[1:],
     [kill('mongod', 'mongod', 61, 7000000, tasks=1)]),
    ('4.9 Amazon', 70, ['ecs-agent invoked oom-killer: gfp_mask=0x14000c0(GFP_KERNEL), nodemask=0, order=0, oom_score_adj=0',
                        'ecs-agent cpuset=/ mems_allowed=0', 'CPU: 1 PID: 70 Comm: ecs-agent Tainted: G            E   4.9.81-35.56.amzn1.x86_64 #1', 'Mem-Info:',
                        PMDS, '[ 2811]     0  2811   240000    90000     200       6        0          -900 agent',
                        'Out of memory: Kill process 2811 (agent) score 0 or sacrifice child',
                        'Killed process 2811 (agent) total-vm:960000kB, anon-rss:350000kB, file-rss:0kB, shmem-rss:0kB'],
     [kill('ecs-agent', 'agent', 2811, 350000, nodemask='0', tasks=1)]),
    ('4.9 docker', 80, memcg_3('php', 80, 'php', 81, 201000, '/docker/ab', '4.9.0-19-amd64')[:-1] +
     ['Killed process 81 (php) total-vm:320000kB, anon-rss:201000kB, file-rss:700kB, shmem-rss:0kB',
      'oom_reaper: reaped process 81 (php), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB'],
     [kill('php', 'php', 81, 201000, 'memcg', memcg='/docker/ab')]),
    ('4.14 Amazon Linux 2', 90, ['dockerd invoked oom-killer: gfp_mask=0x14200ca(GFP_HIGHUSER_MOVABLE), nodemask=(null),  order=0, oom_score_adj=-500',
                                'dockerd cpuset=/ mems_allowed=0', 'CPU: 0 PID: 90 Comm: dockerd Not tainted 4.14.268-205.500.amzn2.x86_64 #1',
                                'Out of memory: Kill process 91 (app) score 777 or sacrifice child',
                                'Killed process 91 (app) total-vm:3kB, anon-rss:2kB, file-rss:1kB, shmem-rss:0kB'],
     [kill('dockerd', 'app', 91, 2, oom_score_adj=-500)]),
    ('4.15 kubernetes', 100, ['java invoked oom-killer: gfp_mask=0x14000c0(GFP_KERNEL), nodemask=(null), order=0, oom_score_adj=968', 'java cpuset=77 mems_allowed=0',
                              'CPU: 0 PID: 100 Comm: java Not tainted 4.15.0-112-generic #1',
                              'Task in /kubepods/burstable/pod1/77 killed as a result of limit of /kubepods/burstable/pod1',
                              'memory: usage 2097152kB, limit 2097152kB, failcnt 20',
                              'Memory cgroup out of memory: Kill process 101 (java) score 1968 or sacrifice child',
                              'Killed process 101 (java) total-vm:5000000kB, anon-rss:2090000kB, file-rss:100kB, shmem-rss:0kB'],
     [kill('java', 'java', 101, 2090000, 'memcg', memcg='/kubepods/burstable/pod1', task_memcg='/kubepods/burstable/pod1/77')]),
    ('4.18 RHEL 8', 110, global_5('4.18.0-305.el8.x86_64', 'systemd', 110, 'postgres', 111, 26, 380000, gfp='0x6200ca(GFP_HIGHUSER_MOVABLE)'),
     [kill('systemd', 'postgres', 111, 380000, victim_uid=26, tasks=1)]),
    ('4.18 RHEL 8, a control group', 112, memcg_5('4.18.0-477.el8.x86_64', 'mysqld', 112, 'mysqld', 113, 27, 390000, '/system.slice/m.service', '/system.slice/m.service', 0),
     [kill('mysqld', 'mysqld', 113, 390000, 'memcg', memcg='/system.slice/m.service')]),
    ('4.19 Debian 10', 120, ['nginx invoked oom-killer: gfp_mask=0x6200ca(GFP_HIGHUSER_MOVABLE), nodemask=(null), order=0, oom_score_adj=0', 'nginx cpuset=/ mems_allowed=0',
                             'CPU: 0 PID: 120 Comm: nginx Not tainted 4.19.0-18-amd64 #1', STATE, BYTES,
                             '[    121]    33   121    70000    60000   540672        0             0 php-fpm7.3',
                             'Out of memory: Kill process 121 (php-fpm7.3) score 40 or sacrifice child',
                             'Killed process 121 (php-fpm7.3) total-vm:280000kB, anon-rss:239000kB, file-rss:0kB, shmem-rss:1000kB'],
     [kill('nginx', 'php-fpm7.3', 121, 239000, shmem_rss=1000, tasks=1)]),
    ('4.10 stall', 130, ['dd: page allocation stalls for 10004ms, order:0, mode:0x14200ca(GFP_HIGHUSER_MOVABLE), nodemask=(null)',
                         'dd cpuset=/ mems_allowed=0', 'CPU: 0 PID: 130 Comm: dd Not tainted 4.10.0-42-generic #1'],
     [{'kind': 'allocation stall', 'comm': 'dd', 'order': 0, 'pid': 130}]),
    # ---- 5.x ----
    ('5.4 Ubuntu 20.04', 140, global_5('5.4.0-190-generic #210-Ubuntu', 'snapd', 140, 'node', 141, 1000, 390000), [kill('snapd', 'node', 141, 390000, pgtables=832, tasks=1)]),
    ('5.4.3 vanilla: bytes', 140, global_5('5.4.3', 'snapd', 140, 'node', 141, 1000, 390000)[:-2] +
     ['Out of memory: Killed process 141 (node) total-vm:800000kB, anon-rss:390000kB, file-rss:128kB, shmem-rss:4kB, UID:1000 pgtables:851968kB oom_score_adj:0'],
     [kill('snapd', 'node', 141, 390000, pgtables=832)]),
    ('5.4.8 vanilla: bytes', 140, global_5('5.4.8', 'snapd', 140, 'node', 141, 1000, 390000)[:-2] +
     ['Out of memory: Killed process 141 (node) total-vm:800000kB, anon-rss:390000kB, file-rss:128kB, shmem-rss:4kB, UID:1000 pgtables:851968kB oom_score_adj:0'],
     [kill('snapd', 'node', 141, 390000, pgtables=832)]),
    ('5.4 Debian: the table tells', 140, global_5('5.4.0-2-amd64', 'snapd', 140, 'node', 141, 1000, 390000)[:-2] +
     ['Out of memory: Killed process 141 (node) total-vm:800000kB, anon-rss:390000kB, file-rss:128kB, shmem-rss:4kB, UID:1000 pgtables:851968kB oom_score_adj:0'],
     [kill('snapd', 'node', 141, 390000, pgtables=832)]),
    ('5.4 Debian: in kB', 140, global_5('5.4.0-4-amd64', 'snapd', 140, 'node', 141, 1000, 390000), [kill('snapd', 'node', 141, 390000, pgtables=832)]),
    ('5.4.9 vanilla', 140, global_5('5.4.9', 'snapd', 140, 'node', 141, 1000, 390000), [kill('snapd', 'node', 141, 390000, pgtables=832)]),
    ('5.10 Debian 11', 150, global_5('5.10.0-46-amd64', 'cron', 150, 'tracker (a)', 151, 1000, 90000, 200),
     [kill('cron', 'tracker (a)', 151, 90000, victim_adj=200, tasks=1)]),
    ('5.10 Bottlerocket', 160, memcg_5('5.10.205', 'gunicorn', 160, 'gunicorn', 161, 1000, 510000, '/kubepods/burstable/pod2', '/kubepods/burstable/pod2/9f', 997),
     [kill('gunicorn', 'gunicorn', 161, 510000, 'memcg', memcg='/kubepods/burstable/pod2', task_memcg='/kubepods/burstable/pod2/9f', oom_score_adj=997)]),
    ('5.14 RHEL 9', 170, global_5('5.14.0-362.el9.x86_64', 'gmain', 170, 'qemu-kvm', 171, 107, 8000000), [kill('gmain', 'qemu-kvm', 171, 8000000, victim_uid=107)]),
    ('5.15 the group', 180, memcg_5('5.15.0-91-generic', 'w', 180, 'w', 181, 0, 1000, '/g', '/g/a', 0) +
     ['Tasks in /g are going to be killed due to memory.oom.group set',
      'Memory cgroup out of memory: Killed process 182 (x) total-vm:5kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:40kB oom_score_adj:0'],
     [kill('w', 'w', 181, 1000, 'memcg', memcg='/g', group='/g', victims=2)]),
    ('5.15 leaked', 0, ['Huh VM_FAULT_OOM leaked out to the #PF handler. Retrying PF', 'Linux version 5.15.0-1'], [{'kind': 'page fault'}]),
    ('5.4 no header', 0, ['Memory cgroup out of memory: Killed process 190 (z) total-vm:40kB, anon-rss:30kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:40kB oom_score_adj:0'] * 2,
     [kill(None, 'z', 190, 30, 'memcg'), kill(None, 'z', 190, 30, 'memcg')]),
    ('5.10 exiting', 0, ['a invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0', 'CPU: 0 PID: 9 Comm: a Not tainted 5.10.0 #1',
                         'Out of memory: OOM victim 191 (y) is already exiting. Skip killing the task'],
     [{'kind': 'oom kill', 'victim': 'y', 'victim_pid': 191, 'anon_rss': None}]),
    ('5.13 no task', 0, ['a invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0', 'CPU: 0 PID: 9 Comm: a Not tainted 5.13.0 #1',
                         'Out of memory and no killable processes...', 'Kernel panic - not syncing: System is deadlocked on memory'],
     [{'kind': 'oom kill', 'victim_pid': None, 'panic': 'System is deadlocked on memory'}]),
    # ---- 6.x, 7.x ----
    ('6.1 Debian 12', 200, global_5('6.1.0-56-amd64', 'sshd', 200, 'ffmpeg', 201, 1000, 777000), [kill('sshd', 'ffmpeg', 201, 777000)]),
    ('6.1 sysrq f', 200, ['kworker/0:0 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=-1, oom_score_adj=0', 'CPU: 0 PID: 200 Comm: kworker/0:0 Not tainted 6.1.0-56-amd64 #1'] +
     global_5('6.1.0-56-amd64', 'sshd', 200, 'ffmpeg', 201, 1000, 777000)[2:],
     [kill('kworker/0:0', 'ffmpeg', 201, 777000, order=-1)]),
    ('6.1 cpuset', 202, ['q invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0', 'CPU: 0 PID: 202 Comm: q Not tainted 6.1.0 #1',
                         'oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=s1,mems_allowed=1,global_oom,task_memcg=/,task=q,pid=203,uid=5',
                         'Out of memory: Killed process 203 (q) total-vm:9kB, anon-rss:7kB, file-rss:1kB, shmem-rss:1kB, UID:5 pgtables:44kB oom_score_adj:0'],
     [kill('q', 'q', 203, 7, 'cpuset', cpuset='s1', mems_allowed='1', task_memcg='/')]),
    ('6.1 mempolicy', 204, ['numactl invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0, oom_score_adj=0', 'CPU: 0 PID: 204 Comm: numactl Not tainted 6.1.0 #1',
                            'oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=1,cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/u,task=m,pid=205,uid=0',
                            'Out of memory: Killed process 205 (m) total-vm:99kB, anon-rss:88kB, file-rss:1kB, shmem-rss:0kB, UID:0 pgtables:44kB oom_score_adj:0'],
     [kill('numactl', 'm', 205, 88, 'mempolicy', nodemask='1', mems_allowed='0-1')]),
    ('6.1 Amazon Linux 2023', 210, global_5('6.1.61-85.141.amzn2023.x86_64', 'amazon-ssm-agen', 210, 'python3', 211, 1000, 1500000),
     [kill('amazon-ssm-agen', 'python3', 211, 1500000)]),
    ('6.5 Ubuntu 22.04 HWE', 220, memcg_5('6.5.0-44-generic', 'chrome', 220, 'chrome', 221, 1000, 300000, '/user.slice/a', '/user.slice/a/b', 300),
     [kill('chrome', 'chrome', 221, 300000, 'memcg', victim_adj=300)]),
    ('6.8 Ubuntu 24.04', 230, global_5('6.8.0-50-generic', 'gdm', 230, 'code', 231, 1000, 600000)[:5] +
     [STATE, PARTS, '[    231]  1000   231   300000   150000   140000     9000     1000   851968        0           300 code'] +
     global_5('6.8.0-50-generic', 'gdm', 230, 'code', 231, 1000, 600000)[8:],
     [kill('gdm', 'code', 231, 600000, tasks=1)]),
    ('6.12 Debian 13', 240, global_5('6.12.48+deb13-amd64', 'cat', 240, 'dd', 241, 0, 55, who='CPU: 3 UID: 0 PID'), [kill('cat', 'dd', 241, 55, pid=240)]),
    ('6.12 RHEL 10', 242, global_5('6.12.0-55.el10_0.x86_64', 'dnf', 242, 'dnf', 243, 0, 1000, who='CPU: 3 UID: 0 PID'), [kill('dnf', 'dnf', 243, 1000, pid=242)]),
    ('6.6 Android 15', 0, global_5('6.6.30-android15-8', 'binder:1_2', 250, 'example.game', 251, 10123, 900000)[:-1], [kill('binder:1_2', 'example.game', 251, 900000, victim_uid=10123)]),
    ('6.6 failure', 260, ['nvme: page allocation failure: order:9, mode:0x40cc0(GFP_KERNEL|__GFP_COMP)' + FAIL, 'CPU: 0 PID: 260 Comm: nvme Not tainted 6.6.10 #1', 'Mem-Info:'],
     [{'kind': 'allocation failure', 'comm': 'nvme', 'order': 9, 'cpuset': '/', 'mems_allowed': '0'}]),
    ('6.19 protection', 270, memcg_5('6.19.0', 'p', 270, 'p', 271, 0, 500, '/p', '/p', 0)[:4] + ['Memory cgroup min protection 1024kB -- low protection 2048kB'] +
     memcg_5('6.19.0', 'p', 270, 'p', 271, 0, 500, '/p', '/p', 0)[4:], [kill('p', 'p', 271, 500, 'memcg', memcg='/p')]),
    ('7.0 vanilla', 280, global_5('7.0.2', 'r', 280, 's', 281, 0, 44, who='CPU: 3 UID: 0 PID'), [kill('r', 's', 281, 44, pid=280)]),
    ('7.3 stall', 290, ['t: page allocation stall for 10 secs: order:2, mode:0xcc0(GFP_KERNEL)' + FAIL, 'CPU: 0 UID: 0 PID: 290 Comm: t Not tainted 7.3.0 #1'],
     [{'kind': 'allocation stall', 'comm': 't', 'order': 2, 'pid': 290}]),
    ('7.3 a control group', 300, memcg_5('7.3.0', 'u', 300, 'v', 301, 0, 444, '/k', '/k/l', 10), [kill('u', 'v', 301, 444, 'memcg', memcg='/k', task_memcg='/k/l')]),
    ('two events', 310, global_5('6.1.0', 'a', 310, 'b', 311, 0, 1) + global_5('6.1.0', 'a', 310, 'c', 312, 0, 2), [kill('a', 'b', 311, 1, tasks=1), kill('a', 'c', 312, 2, tasks=1)]),
]
