/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rate of the clock's ticks, which no type tells, from jiffies and the time since boot. */
#include "model/kernel/zone/lru_age.h"
#include "tests/unit/check.h"

#define SECOND UINT64_C(1000000000)

static uint64_t jiffies(uint64_t hz, uint64_t seconds)
{
	return (uint32_t)(-300 * hz) + hz * seconds;
}

TEST(rate)
{
	CHECK_EQ(lru_tick_rate(jiffies(250, 62), 62 * SECOND), 250);
	CHECK_EQ(lru_tick_rate(jiffies(1000, 62), 62 * SECOND), 1000);
	CHECK_EQ(lru_tick_rate(jiffies(100, 400), 401 * SECOND), 100);
	CHECK_EQ(lru_tick_rate(jiffies(1000, 400000), 400000 * SECOND), 1000);
	CHECK_EQ(lru_tick_rate(jiffies(300, 9), 9 * SECOND), 300);
	/* no rate fits */
	CHECK_EQ(lru_tick_rate(jiffies(250, 620), 62 * SECOND), 0);
	CHECK_EQ(lru_tick_rate(12345, 62 * SECOND), 0);
}
