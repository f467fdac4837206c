/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which layouts each report has. */
#include "reports/compat/like.h"

/* Rows are added up, or grouped by process: the layout has its own order, and shows all of them. */
#define SUMS (OPT_SORT | OPT_TOP)

const struct like procs_likes[] = {
	{ .name = "smem", .about = "smem: swap, uss, pss, rss of each process, largest last",
	  .sort = "pss,pid", .text = smem_procs_text, .opts = OPT_SYSROOT },
	{ .name = "procrank", .about = "Android's procrank: with proportional and unique swap",
	  .sort = "-pss,pid", .text = procrank_text, .needs = NEED_MACHINE },
	{ .name = "exmap", .about = "exmtool procs", .sort = "pid", .text = exmap_procs_text,
	  .needs = NEED_SIZES },
	{ .name = "paper", .about = "pages by class, comma separated: Figure 2 of the paper",
	  .sort = "pid,tid", .text = paper_procs_csv, .csv = paper_procs_csv,
	  .opts = OPT_VIRTUAL,
	  .chart = &paper_procs_chart },
	{ 0 }
};

const struct like users_likes[] = {
	{ .name = "smem", .about = "smem -u", .sort = "pss,user", .text = smem_users_text },
	{ 0 }
};

const struct like programs_likes[] = {
	{ .name = "ps_mem", .about = "ps_mem: private and shared RAM, largest last",
	  .sort = "ram,name", .text = ps_mem_text },
	{ 0 }
};

const struct like vmas_likes[] = {
	{ .name = "smem", .about = "smem -m: mappings by name, over all processes",
	  .text = smem_maps_text, .refuses = SUMS },
	{ .name = "smem.pl", .about = "smem.pl: private and shared mappings of each process",
	  .text = smem_pl_text, .refuses = SUMS },
	{ .name = "librank", .about = "Android's librank: objects, and the processes that map each",
	  .text = librank_text, .opts = OPT_ALL, .refuses = SUMS },
	{ .name = "showmap", .about = "Android's showmap: the objects of each process",
	  .text = showmap_text, .refuses = SUMS },
	{ .name = "pmap", .about = "pmap -x of procps", .text = pmap_text, .refuses = SUMS },
	{ .name = "paper", .about = "a map of the pages of each vma: Figure 4 of the USENIX 2005 paper",
	  .text = vmas_paper, .refuses = SUMS },
	{ 0 }
};

const struct like summary_likes[] = {
	{ .name = "smem", .about = "smem -w: the system by area", .text = smem_system_text,
	  .refuses = OPT_SORT | OPT_TOP | OPT_WHERE },
	{ 0 }
};
