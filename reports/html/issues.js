// SPDX-License-Identifier: GPL-3.0-or-later
// What is damaged or missing: first what it means for who reads the page, then what it is.

const MEANING = [
	['The dump file is cut off or damaged: what was in the lost part is in no number here.',
		'truncated image', 'truncated header', 'missing part', 'image frame', 'image range',
		'image segment', 'mcore header', 'mcore unit', 'mcore page'],
	['Page tables could not all be read: processes show less memory than they had.',
		'page table', 'page table entry', 'pgd', 'kernel page tables', 'pagemap', 'page map'],
	['Mappings could not all be read: processes show less memory than they had.',
		'vma', 'map_count', 'maple node', 'mm'],
	['Not all processes may be listed.', 'task', 'task list', 'thread list'],
	['It is not known of all page frames what they are: pss, uss and areas may be too low.',
		'struct page', 'page array', 'vmemmap', 'compound page', 'page frame', 'node'],
	['Counts that the kernel kept contradict its page tables: either may be damaged, and sizes ' +
		'may be wrong.', 'page map count', 'mm counter', 'page count', 'rss counter',
	'count of the capture'],
	['Users and states of some processes are not known.', 'signal_struct', 'cred'],
	['What each CPU counts for itself is missing in counters.', 'cpu mask', 'per-cpu offset'],
	['The log is incomplete.', 'kernel log', 'log record'],
	['What is in swap may be too low.', 'swap area', 'swap slot'],
	['Some names of files are missing, or sizes of shared memory.', 'file', 'path', 'vma name',
		'shared memory', 'xarray node', 'block device inode'],
	['Control groups may be missing, or what they were charged.', 'cgroup'],
	['Part of the capture could not be understood: what it told is in no number here.',
		'line of the capture', 'record of the capture'],
];
const KIND = {
	nodata: 'not in the dump', fault: 'not mapped', corrupt: 'damaged', io: 'not readable',
	limit: 'more than can be true, or be kept', unsupported: 'not understood',
	absent: 'not found', torn: 'changed while it was read',
};

function meaning(object) {
	const known = MEANING.find(m => m.slice(1).includes(object));

	return known ? known[0] : 'Numbers on this page may be too low or wrong.';
}

function showIssues() {
	const all = D.issues.filter(i => i[1] !== 'torn'), said = new Map();

	for (const [object, kind, count, texts] of all) {
		const what = meaning(object);

		said.set(what, (said.get(what) || []).concat(make('li', {},
			`${object}, ${KIND[kind] || kind}: ${grouped.format(count)}`,
			...texts.map(t => make('small', {}, make('bdi', {}, t))))));
	}
	const host = document.getElementById('issues');

	host.hidden = !all.length;
	if (!all.length)
		return;
	const first = [...said.keys()].slice(0, 2), more = said.size - first.length;

	host.append(make('summary', {}, make('b', {}, 'Incomplete result.'), ` ${first.join(' ')}` +
		(more ? ` And ${more} more.` : '')));
	for (const [what, list] of said)
		host.append(make('p', {}, what), make('ul', {}, ...list));
}
