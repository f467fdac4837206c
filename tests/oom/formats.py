# SPDX-License-Identifier: GPL-3.0-or-later
"""What kernels print about running out of memory: their formats, by release.

Facts of mm/oom_kill.c, mm/memcontrol.c, mm/show_mem.c (mm/page_alloc.c), lib/show_mem.c. A row is
(name, first release, first release without it, format of printk, names of its values). Where a line is
printed in pieces, '|' stands between them: each may become a record of its own.
"""
NOW = None

FORMATS = (
    # ---- the request ----
    ('invoked', '2.6.12', '2.6.13', 'oom-killer: gfp_mask=0x%x', 'gfp'),
    ('invoked', '2.6.13', '2.6.18', 'oom-killer: gfp_mask=0x%x, order=%d', 'gfp order'),
    ('invoked', '2.6.19', '2.6.32', '%s invoked oom-killer: gfp_mask=0x%x, order=%d, oomkilladj=%d',
     'comm gfp order oom_adj'),
    ('invoked', '2.6.32', '2.6.36', '%s invoked oom-killer: gfp_mask=0x%x, order=%d, oom_adj=%d',
     'comm gfp order oom_adj'),
    ('invoked', '2.6.36', '3.7',
     '%s invoked oom-killer: gfp_mask=0x%x, order=%d, oom_adj=%d, oom_score_adj=%d',
     'comm gfp order oom_adj oom_score_adj'),
    ('invoked', '3.10', '4.6', '%s invoked oom-killer: gfp_mask=0x%x, order=%d, oom_score_adj=%hd',
     'comm gfp order oom_score_adj'),
    ('invoked', '4.9', '5.0',
     '%s invoked oom-killer: gfp_mask=%#x(%pGg), nodemask=|%*pbl|, order=%d, oom_score_adj=%hd',
     'comm gfp gfp_names nodemask order oom_score_adj'),
    ('invoked', '5.0', '7.0', '%s invoked oom-killer: gfp_mask=%#x(%pGg), order=%d, oom_score_adj=%hd',
     'comm gfp gfp_names order oom_score_adj'),
    ('invoked', '7.0', NOW, '%s invoked oom-killer: gfp_mask=%#x(%pGg), order=%d, oom_score_adj=%d',
     'comm gfp gfp_names order oom_score_adj'),
    ('cpuset', '2.6.29', '5.0', '%s cpuset=|%s| mems_allowed=|%*pbl', 'comm cpuset mems_allowed'),
    ('who', '2.6.29', '3.10', 'Pid: %d, comm: %s Not tainted 2.6', 'pid comm'),
    ('who', '3.10', '6.11', 'CPU: %d PID: %d Comm: %s Not tainted', 'cpu pid comm'),
    ('who', '6.11', NOW, 'CPU: %d UID: %u PID: %d Comm: %s Not tainted', 'cpu uid pid comm'),
    ('summary', '5.0', NOW,
     'oom-kill:constraint=%s,nodemask=%*pbl|,cpuset=|%s|,mems_allowed=%*pbl|,global_oom|,task_memcg=|%s'
     '|,task=%s,pid=%d,uid=%d',
     'CONSTRAINT nodemask cpuset mems_allowed task_memcg victim_comm victim_pid victim_uid'),
    ('summary_memcg', '5.0', NOW,
     'oom-kill:constraint=%s,nodemask=%*pbl|,cpuset=|%s|,mems_allowed=%*pbl|,oom_memcg=|%s|,task_memcg=|%s'
     '|,task=%s,pid=%d,uid=%d',
     'CONSTRAINT nodemask cpuset mems_allowed oom_memcg task_memcg victim_comm victim_pid victim_uid'),

    # ---- failed and stalled allocations ----
    ('failure', '2.4', '2.6.12', '__alloc_pages: %u-order allocation failed (gfp=0x%x/%i)',
     'order gfp flag'),
    ('failure', '2.6.12', '3.0', '%s: page allocation failure. order:%d, mode:0x%x', 'comm order gfp'),
    ('failure', '3.0', '4.6', '%s: page allocation failure: order:%d, mode:0x%x', 'comm order gfp'),
    ('failure', '4.6', '4.15', '%s: page allocation failure: order:%u, mode:%#x(%pGg), nodemask=|%*pbl',
     'comm order gfp gfp_names nodemask'),
    ('failure', '4.15', NOW, '%s: page allocation failure: order:%u, mode:%#x(%pGg), nodemask=%*pbl'
     '|,cpuset=|%s|,mems_allowed=%*pbl', 'comm order gfp gfp_names nodemask cpuset mems_allowed'),
    ('stall', '4.10', '4.15', '%s: page allocation stalls for %ums, order:%u, mode:%#x(%pGg), nodemask='
     '|%*pbl', 'comm time order gfp gfp_names nodemask'),
    ('stall', '7.3', NOW, '%s: page allocation stall for %lu secs: order:%u, mode:%#x(%pGg), nodemask=%*pbl'
     '|,cpuset=|%s|,mems_allowed=%*pbl', 'comm time order gfp gfp_names nodemask cpuset mems_allowed'),

    # ---- control groups ----
    ('task_in', '2.6.30', '5.0', 'Task in |%s| killed as a result of limit of |%s', 'task_memcg oom_memcg'),
    ('limit_of', '4.4', '5.0', 'Memory limit reached of cgroup |%s', 'oom_memcg'),
    ('usage', '2.6.30', NOW, 'memory: usage %llukB, limit %llukB, failcnt %lu', 'usage limit failcnt'),
    ('usage_swap', '3.10', NOW, 'memory+swap: usage %llukB, limit %llukB, failcnt %lu', 'usage limit failcnt'),
    ('usage_kmem', '3.10', NOW, 'kmem: usage %llukB, limit %llukB, failcnt %lu', 'usage limit failcnt'),
    ('usage_v2', '5.3', NOW, 'swap: usage %llukB, limit %llukB, failcnt %lu', 'usage limit failcnt'),
    ('stats', '3.9', '5.3', 'Memory cgroup stats for |%s|:| cache:%luKB| rss:%luKB| inactive_anon:%luKB',
     'stats_of s.cache s.rss s.inactive_anon'),
    ('stats', '5.3', NOW, 'Memory cgroup stats for |%s|:', 'stats_of'),
    ('stat', '5.3', NOW, 'anon %lu', 's.anon'),
    ('stat', '5.3', NOW, 'workingset_refault_file %lu', 's.workingset_refault_file'),
    ('protection', '6.19', NOW, 'Memory cgroup min protection %lukB -- low protection %lukB',
     's.min_protection s.low_protection'),

    # ---- memory of the machine; c. is one of the pairs, in pages ----
    ('meminfo', '2.4', '2.6.26', 'Mem-info:', ''),
    ('meminfo', '2.6.26', NOW, 'Mem-Info:', ''),
    ('counts', '2.6.12', '2.6.21', 'Active:%lu inactive:%lu dirty:%lu writeback:%lu unstable:%lu free:%u slab:%lu '
     'mapped:%lu pagetables:%lu', 'c.Active c.inactive c.dirty c.writeback c.unstable c.free c.slab c.mapped '
     'c.pagetables'),
    ('counts', '2.6.21', '2.6.28', 'Active:%lu inactive:%lu dirty:%lu writeback:%lu unstable:%lu', 'c.Active c.inactive '
     'c.dirty c.writeback c.unstable'),
    ('counts', '2.6.21', '2.6.28', ' free:%lu slab:%lu mapped:%lu pagetables:%lu bounce:%lu',
     'c.free c.slab c.mapped c.pagetables c.bounce'),
    ('counts', '2.6.28', '2.6.32', 'Active_anon:%lu active_file:%lu inactive_anon:%lu',
     'c.Active_anon c.active_file c.inactive_anon'),
    ('counts', '2.6.28', '2.6.32', ' inactive_file:%lu unevictable:%lu dirty:%lu writeback:%lu unstable:%lu',
     'c.inactive_file c.unevictable c.dirty c.writeback c.unstable'),
    ('counts', '2.6.32', NOW, 'active_anon:%lu inactive_anon:%lu isolated_anon:%lu',
     'c.active_anon c.inactive_anon c.isolated_anon'),
    ('counts', '2.6.32', NOW, ' active_file:%lu inactive_file:%lu isolated_file:%lu',
     'c.active_file c.inactive_file c.isolated_file'),
    ('counts', '2.6.32', '5.8', ' unevictable:%lu dirty:%lu writeback:%lu unstable:%lu',
     'c.unevictable c.dirty c.writeback c.unstable'),
    ('counts', '5.8', NOW, ' unevictable:%lu dirty:%lu writeback:%lu', 'c.unevictable c.dirty c.writeback'),
    ('counts', '2.6.32', NOW, ' slab_reclaimable:%lu slab_unreclaimable:%lu',
     'c.slab_reclaimable c.slab_unreclaimable'),
    ('counts', '2.6.32', '6.1', ' mapped:%lu shmem:%lu pagetables:%lu bounce:%lu',
     'c.mapped c.shmem c.pagetables c.bounce'),
    ('counts', '6.1', NOW, ' mapped:%lu shmem:%lu pagetables:%lu', 'c.mapped c.shmem c.pagetables'),
    ('counts', '6.1', NOW, ' sec_pagetables:%lu', 'c.sec_pagetables'),
    ('counts', '5.15', NOW, ' kernel_misc_reclaimable:%lu', 'c.kernel_misc_reclaimable'),
    ('counts', '3.10', '4.4', ' free_cma:%lu', 'c.free_cma'),
    ('counts', '4.4', NOW, ' free:%lu free_pcp:%lu free_cma:%lu', 'c.free c.free_pcp c.free_cma'),
    # n. is one of the pairs of the node
    ('node', '4.9', '4.10', 'Node %d active_anon:%lukB inactive_anon:%lukB mapped:%lukB shmem:%lukB shmem_thp: %lukB '
     'shmem_pmdmapped: %lukB anon_thp: %lukB writeback_tmp:%lukB pages_scanned:%lu all_unreclaimable? %s',
     'node n.active_anon n.inactive_anon n.mapped n.shmem n.shmem_thp n.shmem_pmdmapped n.anon_thp n.writeback_tmp '
     'n.pages_scanned n?all_unreclaimable'),
    ('node', '4.10', '5.9', 'Node %d active_anon:%lukB inactive_anon:%lukB mapped:%lukB shmem:%lukB shmem_thp: %lukB '
     'shmem_pmdmapped: %lukB anon_thp: %lukB writeback_tmp:%lukB unstable:%lukB all_unreclaimable? %s',
     'node n.active_anon n.inactive_anon n.mapped n.shmem n.shmem_thp n.shmem_pmdmapped n.anon_thp n.writeback_tmp '
     'n.unstable n?all_unreclaimable'),
    ('node', '5.9', '6.5', 'Node %d active_anon:%lukB inactive_anon:%lukB mapped:%lukB shmem:%lukB shmem_thp: %lukB '
     'shmem_pmdmapped: %lukB anon_thp: %lukB writeback_tmp:%lukB kernel_stack:%lukB all_unreclaimable? %s',
     'node n.active_anon n.inactive_anon n.mapped n.shmem n.shmem_thp n.shmem_pmdmapped n.anon_thp n.writeback_tmp '
     'n.kernel_stack n?all_unreclaimable'),
    ('node', '6.5', '6.17', 'Node %d active_anon:%lukB inactive_anon:%lukB shmem:%lukB shmem_thp:%lukB anon_thp:%lukB '
     'kernel_stack:%lukB pagetables:%lukB sec_pagetables:%lukB all_unreclaimable? %s',
     'node n.active_anon n.inactive_anon n.shmem n.shmem_thp n.anon_thp n.kernel_stack n.pagetables n.sec_pagetables '
     'n?all_unreclaimable'),
    ('node', '6.17', '7.1', 'Node %d active_anon:%lukB inactive_anon:%lukB kernel_stack:%lukB all_unreclaimable? %s '
     'Balloon:%lukB', 'node n.active_anon n.inactive_anon n.kernel_stack n?all_unreclaimable n.Balloon'),
    ('node', '7.1', NOW, 'Node %d active_anon:%lukB inactive_anon:%lukB kernel_stack:%lukB all_unreclaimable? %s '
     'Balloon:%lukB gpu_active:%lukB gpu_reclaim:%lukB',
     'node n.active_anon n.inactive_anon n.kernel_stack n?all_unreclaimable n.Balloon n.gpu_active n.gpu_reclaim'),
    # z. is one of the pairs of the zone
    ('zone', '2.6.12', '2.6.28', '%s free:%lukB min:%lukB low:%lukB high:%lukB active:%lukB inactive:%lukB present:%lukB '
     'pages_scanned:%lu all_unreclaimable? %s', 'zone z.free z.min z.low z.high z.active z.inactive z.present '
     'z.pages_scanned z?all_unreclaimable'),
    ('zone', '2.6.28', '3.10', 'Node %d %s free:%lukB min:%lukB low:%lukB high:%lukB active_anon:%lukB present:%lukB '
     'pages_scanned:%lu all_unreclaimable? %s', 'node zone z.free z.min z.low z.high z.active_anon z.present '
     'z.pages_scanned z?all_unreclaimable'),
    ('zone', '3.10', '4.8', 'Node %d %s free:%lukB min:%lukB low:%lukB high:%lukB active_anon:%lukB present:%lukB '
     'managed:%lukB free_cma:%lukB all_unreclaimable? %s', 'node zone z.free z.min z.low z.high z.active_anon '
     'z.present z.managed z.free_cma z?all_unreclaimable'),
    ('zone', '4.9', '5.7', 'Node %d %s free:%lukB min:%lukB low:%lukB high:%lukB writepending:%lukB present:%lukB '
     'managed:%lukB mlocked:%lukB kernel_stack:%lukB pagetables:%lukB bounce:%lukB free_pcp:%lukB local_pcp:%ukB '
     'free_cma:%lukB', 'node zone z.free z.min z.low z.high z.writepending z.present z.managed z.mlocked z.kernel_stack '
     'z.pagetables z.bounce z.free_pcp z.local_pcp z.free_cma'),
    ('zone', '5.7', '5.17', 'Node %d %s free:%lukB min:%lukB low:%lukB high:%lukB reserved_highatomic:%luKB '
     'active_anon:%lukB writepending:%lukB present:%lukB managed:%lukB local_pcp:%ukB',
     'node zone z.free z.min z.low z.high z.reserved_highatomic z.active_anon z.writepending z.present z.managed '
     'z.local_pcp'),
    ('zone', '5.17', '6.17', 'Node %d %s free:%lukB boost:%lukB min:%lukB low:%lukB high:%lukB '
     'reserved_highatomic:%luKB writepending:%lukB present:%lukB managed:%lukB local_pcp:%ukB free_cma:%lukB',
     'node zone z.free z.boost z.min z.low z.high z.reserved_highatomic z.writepending z.present z.managed z.local_pcp '
     'z.free_cma'),
    ('zone', '6.17', '7.3', 'Node %d %s free:%lukB boost:%lukB min:%lukB low:%lukB high:%lukB '
     'reserved_highatomic:%luKB free_highatomic:%luKB zspages:%lukB present:%lukB managed:%lukB',
     'node zone z.free z.boost z.min z.low z.high z.reserved_highatomic z.free_highatomic z.zspages z.present z.managed'),
    ('zone', '7.3', NOW, 'Node %d %s free:%lukB boost:%lukB min:%lukB low:%lukB high:%lukB '
     'reserved_highatomic:%lukB free_highatomic:%lukB zspages:%lukB present:%lukB managed:%lukB',
     'node zone z.free z.boost z.min z.low z.high z.reserved_highatomic z.free_highatomic z.zspages z.present z.managed'),
    ('reserve', '2.6.12', NOW, 'lowmem_reserve[]:| %ld| %ld| %ld| %ld', 'r0 r1 r2 r3'),
    ('buddy', '2.6.12', '2.6.28', '%s: |%lu*4kB |%lu*8kB |%lu*16kB |= %lukB', 'zone b0 b1 b2 all'),
    ('buddy', '2.6.28', '3.2', 'Node %d %s: |%lu*4kB |%lu*8kB |%lu*16kB |= %lukB', 'node zone b0 b1 b2 all'),
    ('buddy', '3.2', NOW, 'Node %d %s: |%lu*4kB |(UMEH) |%lu*8kB |(C) |%lu*16kB |= %lukB', 'node zone b0 b1 b2 all'),
    ('huge', '3.10', NOW, 'Node %d hugepages_total=%u hugepages_free=%u hugepages_surp=%u hugepages_size=2048kB',
     'node huge huge_free surp'),
    ('total', '2.6.32', NOW, '%ld total pagecache pages', 'c.total_pagecache_pages'),
    ('total', '2.6.29', NOW, '%lu pages in swap cache', 'c.pages_in_swap_cache'),
    ('total', '2.6.12', '5.19', 'Swap cache stats: add %lu, delete %lu, find %lu/%lu', 'c.add c.delete x x'),
    ('total', '2.6.12', NOW, 'Free swap  = %lukB', 'k.Free_swap'),
    ('total', '2.6.28', NOW, 'Total swap = %lukB', 'k.Total_swap'),
    ('total', '2.6.28', NOW, '%lu pages RAM', 'c.pages_RAM'),
    ('total', '3.14', NOW, '%lu pages HighMem/MovableOnly', 'c.pages_HighMem/MovableOnly'),
    ('total', '2.6.28', NOW, '%lu pages reserved', 'c.pages_reserved'),
    ('total', '3.16', NOW, '%lu pages cma reserved', 'c.pages_cma_reserved'),
    ('total', '3.10', NOW, '%lu pages hwpoisoned', 'c.pages_hwpoisoned'),
    ('slabs', '4.15', NOW, 'Unreclaimable slab info:', ''),
    ('slabs', '4.15', NOW, 'Name                      Used          Total', ''),
    ('slab', '4.15', NOW, '%-17s %10luKB %10luKB', 'slab used total'),
    ('sites', '6.12', '6.18', 'Memory allocations:', ''),
    ('sites', '6.18', NOW, 'Memory allocations (profiling is currently turned %s):', 'on'),
    ('site', '6.12', NOW, '%12s %8llu %s', 'size calls where'),

    # ---- tasks ----
    ('columns', '4.19', NOW, 'Tasks state (memory values in pages):', ''),
    ('columns', '2.6.25', '2.6.36', '[ pid ]   uid  tgid total_vm      rss cpu oom_adj name', ''),
    ('columns', '2.6.36', '3.7', '[ pid ]   uid  tgid total_vm      rss cpu oom_adj oom_score_adj name', ''),
    ('columns', '3.10', '4.0', '[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name', ''),
    ('columns', '4.0', '4.15', '[ pid ]   uid  tgid total_vm      rss nr_ptes nr_pmds swapents oom_score_adj name', ''),
    ('columns', '4.15', '4.19', '[ pid ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name', ''),
    ('columns', '4.19', '6.8', '[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name', ''),
    ('columns', '6.8', NOW, '[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes '
     'swapents oom_score_adj name', ''),
    ('task', '2.6.25', '2.6.36', '[%5d] %5d %5d %8lu %8lu %3d     %3d %s', 'pid uid tgid total_vm rss cpu oom_adj comm'),
    ('task', '2.6.36', '3.7', '[%5d] %5d %5d %8lu %8lu %3u     %3d         %5d %s',
     'pid uid tgid total_vm rss cpu oom_adj oom_score_adj comm'),
    ('task', '3.10', '4.0', '[%5d] %5d %5d %8lu %8lu %7ld %8lu         %5hd %s',
     'pid uid tgid total_vm rss ptes swapents oom_score_adj comm'),
    ('task', '4.0', '4.15', '[%5d] %5d %5d %8lu %8lu %7ld %7ld %8lu         %5hd %s',
     'pid uid tgid total_vm rss ptes pmds swapents oom_score_adj comm'),
    ('task', '4.15', '4.19', '[%5d] %5d %5d %8lu %8lu %8ld %8lu         %5hd %s',
     'pid uid tgid total_vm rss tables_bytes swapents oom_score_adj comm'),
    ('task', '4.19', '6.8', '[%7d] %5d %5d %8lu %8lu %8ld %8lu         %5hd %s',
     'pid uid tgid total_vm rss tables_bytes swapents oom_score_adj comm'),
    ('task', '6.8', NOW, '[%7d] %5d %5d %8lu %8lu %8lu %8lu %9lu %8ld %8lu         %5hd %s',
     'pid uid tgid total_vm rss rss_anon rss_file rss_shmem tables_bytes swapents oom_score_adj comm'),

    # ---- the outcome ----
    ('chosen', '2.6.16', '2.6.20', '%s: Kill process %d (%s) score %li and children.',
     'prefix chosen_pid chosen_comm chosen_score'),
    ('chosen', '2.6.20', '2.6.36', '%s: kill process %d (%s) score %li or a child',
     'prefix chosen_pid chosen_comm chosen_score'),
    ('chosen', '2.6.36', '5.2', '%s: Kill process %d (%s) score %d or sacrifice child',
     'prefix chosen_pid chosen_comm chosen_score'),
    ('killed', '2.4', '2.6.16', 'Out of Memory: Killed process %d (%s).', 'pid comm'),
    ('killed', '2.6.16', '2.6.20', '%s: Killed process %d (%s).', 'prefix pid comm'),
    ('killed', '2.6.20', '2.6.33', 'Killed process %d (%s)', 'pid comm'),
    ('killed', '2.6.33', '2.6.36', 'Killed process %d (%s) vsz:%lukB, anon-rss:%lukB, file-rss:%lukB',
     'pid comm total_vm anon_rss file_rss'),
    ('killed', '2.6.36', '4.5', 'Killed process %d (%s) total-vm:%lukB, anon-rss:%lukB, file-rss:%lukB',
     'pid comm total_vm anon_rss file_rss'),
    ('killed', '4.9', '5.2', 'Killed process %d (%s) total-vm:%lukB, anon-rss:%lukB, file-rss:%lukB, shmem-rss:%lukB',
     'pid comm total_vm anon_rss file_rss shmem_rss'),
    ('killed', '5.2', '5.4', '%s: Killed process %d (%s) total-vm:%lukB, anon-rss:%lukB, file-rss:%lukB, '
     'shmem-rss:%lukB', 'prefix pid comm total_vm anon_rss file_rss shmem_rss'),
    ('killed', '5.4', NOW, '%s: Killed process %d (%s) total-vm:%lukB, anon-rss:%lukB, file-rss:%lukB, '
     'shmem-rss:%lukB, UID:%u pgtables:%lukB oom_score_adj:%hd',
     'prefix pid comm total_vm anon_rss file_rss shmem_rss uid tables oom_score_adj'),
    ('reaped', '4.9', NOW, 'oom_reaper: reaped process %d (%s), now anon-rss:%lukB, file-rss:%lukB, shmem-rss:%lukB',
     'pid comm x x x'),
    ('unreaped', '4.9', NOW, 'oom_reaper: unable to reap pid:%d (%s)', 'pid comm'),
    ('pinned', '4.9', NOW, 'oom killer %d (%s) has mm pinned by %d (%s)', 'pid comm x comm'),
    ('exiting', '5.9', NOW, '%s: OOM victim %d (%s) is already exiting. Skip killing the task', 'prefix pid comm'),
    ('group', '4.19', NOW, 'Tasks in |%s| are going to be killed due to memory.oom.group set', 'group'),
    ('leaked', '5.15', NOW, 'Huh VM_FAULT_OOM leaked out to the #PF handler. Retrying PF', ''),
    ('leaked', '2.4', '2.6.29', 'VM: killing process %s', 'comm'),
    ('no_task', '4.19', NOW, 'Out of memory and no killable processes...', ''),
    ('panic', '2.4', '4.19', 'Kernel panic - not syncing: Out of memory and no killable processes...', ''),
    ('panic', '4.19', NOW, 'Kernel panic - not syncing: System is deadlocked on memory', ''),
    ('panic', '2.6.18', '2.6.36', 'Kernel panic - not syncing: out of memory. panic_on_oom is selected', ''),
    ('panic', '2.6.36', NOW, 'Kernel panic - not syncing: Out of memory: %s panic_on_oom is enabled', 'kind'),
)

# Releases that were read, and so those that a test prints as.
RELEASES = (
    '2.4.27', '2.6.12', '2.6.15', '2.6.16', '2.6.19', '2.6.20', '2.6.25', '2.6.29', '2.6.32', '2.6.33', '2.6.36',
    '2.6.39', '3.10', '3.14', '3.19', '4.0', '4.4', '4.9', '4.15', '4.19', '4.20', '5.0', '5.2', '5.3', '5.4.9', '5.7',
    '5.8', '5.9', '5.14', '5.15', '5.17', '5.19', '6.1', '6.5', '6.6', '6.8', '6.12', '6.13', '6.17', '6.18', '6.19',
    '7.0', '7.1', '7.3')


def number(release):
    parts = [int(p) for p in release.split('.')] + [0, 0]
    return tuple(parts[:3])


def formats(release, name):
    """The rows NAME of this release."""
    v = number(release)
    return [row for row in FORMATS if row[0] == name and number(row[1]) <= v and
            (row[2] is NOW or v < number(row[2]))]
