/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every report, one line each; reports.c makes the table of it. */
#ifndef VMCENSUS_REPORT_LIST_H
#define VMCENSUS_REPORT_LIST_H

#include "reports/core/report.h"

extern const struct report report_summary, report_procs, report_programs, report_users,
	report_cgroups, report_vmas, report_smaps, report_maps, report_files, report_sections,
	report_symbols, report_units, report_total, report_alerts, report_pages, report_census, report_cache, report_swap,
	report_shm, report_check, report_dmesg, report_oom, report_thrash, report_tasks, report_diff, report_layout, report_export,
	report_html, report_zones, report_numa, report_slab, report_vmalloc, report_stacks, report_hugetlb,
	report_config, report_pagetables, report_id, report_capsule, report_costs, report_panic,
	report_fleet, report_clusters, report_regress, report_leaks;

#endif
