// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged and missing data: first what that means for the reader, then its name.

const MEANING = [
	['The dump file is cut off or damaged: no number here includes the lost part.',
		'truncated image', 'truncated header', 'missing part', 'image frame', 'image range',
		'image segment', 'mcore header', 'mcore unit', 'mcore page'],
	['Page tables could not all be read: processes show less memory than they had.',
		'page table', 'page table entry', 'pgd', 'kernel page tables', 'pagemap', 'page map'],
	['VMAs could not all be read: processes show less memory than they had.',
		'vma', 'map_count', 'maple node', 'mm'],
	['Not all processes may be listed.', 'task', 'task list', 'thread list'],
	['Some page frames are unknown: pss, uss and areas may be too low.',
		'struct page', 'page array', 'vmemmap', 'compound page', 'page frame', 'node'],
	['Counts that the kernel kept contradict its page tables: either may be damaged, and sizes ' +
		'may be wrong.', 'page map count', 'mm counter', 'page count', 'rss counter',
	'count of the capture'],
	['Users and states of some processes are not known.', 'signal_struct', 'cred'],
	['The counters lack the counts that are still per CPU.', 'cpu mask', 'per-cpu offset'],
	['The log is incomplete.', 'kernel log', 'log record'],
	['Sizes of swapped out memory may be too low.', 'swap area', 'swap slot'],
	['Names of files or sizes of shared memory may be missing.', 'file', 'path', 'vma name',
		'shared memory', 'xarray node', 'block device inode'],
	['Control groups or their charges may be missing.', 'cgroup'],
	['Part of the capture was not understood: no number here includes it.',
		'line of the capture', 'record of the capture'],
];
const KIND = {
	nodata: 'not in the dump', fault: 'not mapped', corrupt: 'damaged', io: 'not readable',
	limit: 'more than is possible or can be kept', unsupported: 'not understood',
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

	const damage = (summary().damage || []).map(r => r.text);

	host.hidden = !all.length && !damage.length;
	if (host.hidden)
		return;
	const first = [...said.keys()].slice(0, 2), more = said.size - first.length;

	host.append(make('summary', {}, make('b', {}, 'Incomplete result.'), ` ${first.join(' ')}` +
		(more ? ` And ${more} more.` : ''), ...damage.map(text => make('div', {}, text))));
	for (const [what, list] of said)
		host.append(make('p', {}, what), make('ul', {}, ...list));
}
