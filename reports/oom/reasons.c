/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reasons.c - why a row of a verdict is as certain as it is, in words. A reason without words does not compile. */
#include "reports/oom/words.h"

#define WORDS_OF_NOT_TOLD	     ""
#define WORDS_OF_IN_LOG		     "the log has it"
#define WORDS_OF_MESSAGE_IN_LOG	     "the log has its message"
#define WORDS_OF_MESSAGE_IN_JOURNAL  "a message in the pages of the journal"
#define WORDS_OF_KERNEL_COUNTS_KILLS "the kernel counts its kills"
#define WORDS_OF_PRESSURE	     "the kernel's averages of pressure, and pages that were read again"
#define WORDS_OF_RECLAIM_SINCE_BOOT                                                                \
	"little memory was available and tasks reclaimed; the counters are since boot"
#define WORDS_OF_LOG_IS_MISSING		   "the kernel's log is not in the dump"
#define WORDS_OF_NEITHER_LOG_NOR_COUNT	   "the log has none, and the kernel counts none"
#define WORDS_OF_LOG_HAS_NONE		   "the log has none"
#define WORDS_OF_CONSTRAINT_PRINTED	   "the kernel printed the constraint"
#define WORDS_OF_CONSTRAINT_BY_OTHER_LINES "other lines of the log say so"
#define WORDS_OF_CONSTRAINT_NOT_IN_LOG	   "the log does not have the constraint"
#define WORDS_OF_NO_NARROWER_LIMIT	   "the kernel knew no narrower limit"
#define WORDS_OF_NO_BLOCK_IN_ZONE	   "the zone has enough pages, and no block of that order"
#define WORDS_OF_NO_KILL_FOR_ORDER	   "the kernel kills for no order above 3: it gave up"
#define WORDS_OF_ZONES_TESTED		   "the zones of the log, tested again"
#define WORDS_OF_COUNT_AND_STRICT	   "the kernel's count, and vm.overcommit_memory=2"
#define WORDS_OF_ITS_COUNTERS		   "its counters"
#define WORDS_OF_OWN_ESTIMATE		   "the kernel's own estimate, MemAvailable"
#define WORDS_OF_MORE_THAN_HALF		   "it is more than half of all"
#define WORDS_OF_LARGEST_LESS_THAN_HALF	   "it is less than half of all"
#define WORDS_OF_LARGEST_BUT_SMALL	   "it is a small part of all"
#define WORDS_OF_FREE_AFTER_KILL	   "what was free after the kill; of what kind it was is not known"
#define WORDS_OF_NOT_ACCOUNTED		   "a driver, or a part of the kernel that does not account for it"
#define WORDS_OF_CACHE_IS_RECLAIMED	   "page cache can be reclaimed, as a rule"
#define WORDS_OF_NOT_SHORT		   "memory was not short"
#define WORDS_OF_ITS_NAME		   "its name"
#define WORDS_OF_HELD_BESIDE_MOST	   "what it held, beside what held the most"
#define WORDS_OF_WHAT_EACH_HELD		   "what each process held"
#define WORDS_OF_ITS_STATE		   "its state in the dump"
#define WORDS_OF_GONE_BUT_COUNTED	   "it is not in the dump, and was still counted in the event"
#define WORDS_OF_TABLE_LACKS_AS_MUCH                                                               \
	"what the table does not explain is what it had when it was killed"
#define WORDS_OF_COMING_FREE_BEFORE "it had begun to come free before anybody else was killed"
#define WORDS_OF_IN_TABLE_THEN                                                                     \
	"it was in the kernel's table then, and who was killed before had gone"
#define WORDS_OF_THEY_ARE_IN_LOG  "the log has them"
#define WORDS_OF_KERNEL_COUNTS	  "the kernel's count"
#define WORDS_OF_STORED_AND_TAKEN "pages stored, and the memory that they take"
#define WORDS_OF_CHARGED_TO_THEM  "what is charged to them"
#define WORDS_OF_THEIR_NUMBER	  "their number; the kernel does not count what each costs"
#define WORDS_OF_IS_PROCESS_1	  "it is process 1"
#define WORDS_OF_ADJ_IS_LOWEST	  "its oom_score_adj is -1000"
#define WORDS_OF_NO_ZONE_WAS_LOW  "no zone was below its mark, and another was killed shortly before"
#define WORDS_OF_PROCESS_IS_THERE                                                                  \
	"the process is there; whether it killed is not in the kernel's log"
#define WORDS_OF_KSWAPD_ASKED "kswapd asked, which it does for nothing else"

const char *reason_text(enum verdict_reason why)
{
	static const char *const words[VERDICT_REASONS] = {
#define WHY(reason) [WHY_##reason] = WORDS_OF_##reason,
#include "model/cause/verdict/reasons.def"
#undef WHY
	};

	return words[why];
}

static const char *doubt_text(const struct verdict *v, enum verdict_doubt doubt, struct arena *mem)
{
	switch (doubt) {
	case DOUBT_NONE: break;
	case DOUBT_FOUND: return arena_printf(mem, "%s were found", v->e->found);
	case DOUBT_LOST: return "a part of the dump is missing";
	case DOUBT_UNLISTED: return "not all variables of the kernel are known";
	case DOUBT_LOG: return "a part of the log could not be read";
	}
	return "";
}

const char *verdict_why(const struct verdict *v, const struct verdict_row *r, struct arena *mem)
{
	const char *doubt = doubt_text(v, r->doubt, mem);

	if (r->doubt == DOUBT_NONE)
		return reason_text(r->why);
	if (r->certainty == LIKELY)
		return doubt;
	return arena_printf(mem, "%s; %s", reason_text(r->why), doubt);
}
