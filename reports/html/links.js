// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown as the fragment of the address: it can be mailed, and the browser's
// back and forward go through it. Setting a fragment works from a file, too, where
// history.pushState() need not.

const DEFAULT = { unit: 'KiB', set: setsKnown()[0] };
const parts = {};	// view -> [{id, state(), restore(state)}], as in ORDER: what is picked
				// in one makes those behind it anew
let shownView = '';
let later = 0;

const ORDER = ['p-procs', 'p-files', 'p-vmas', 'p-sections', 'p-symbols',
	'f-files', 'f-procs', 'f-vmas', 'f-sections', 'f-symbols'];

// PART of VIEW is in the address. A state is {pick, sort, filter}, each a text or null.
function linked(view, part) {
	const all = parts[view] = parts[view] || [];

	all.push(part);
	all.sort((a, b) => ORDER.indexOf(a.id) - ORDER.indexOf(b.id));
}

function here() {
	const p = new URLSearchParams({ tab: shownView });

	if (unit.name !== DEFAULT.unit)
		p.set('unit', unit.name);
	if (set !== DEFAULT.set)
		p.set('sizes', set);
	for (const part of parts[shownView] || []) {
		const { pick, sort, filter } = part.state();

		for (const [key, value] of [['', pick], ['.sort', sort], ['.filter', filter]])
			if (value)
				p.set(part.id + key, value);
	}
	return `#${p}`;
}

// A part that the address contains has changed. An action that is repeated quickly (a key held
// down, letters of a filter) is one step: STEP is false.
function changed(step = true) {
	clearTimeout(later);
	if (here() === location.hash)
		return;
	if (step)
		location.hash = here();
	else
		later = setTimeout(() => location.replace(here()), 200);
}

function follow() {
	const p = new URLSearchParams(location.hash.slice(1)), view = p.get('tab');

	clearTimeout(later);
	if (location.hash === here())
		return;
	chooseUnit(p.get('unit') || DEFAULT.unit);
	chooseSet(p.get('sizes') || DEFAULT.set);
	open(views.includes(view) ? view : views[0]);
	for (const part of parts[shownView] || [])
		part.restore({ pick: p.get(part.id), sort: p.get(`${part.id}.sort`),
			filter: p.get(`${part.id}.filter`) });
}
