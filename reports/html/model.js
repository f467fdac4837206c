// SPDX-License-Identifier: GPL-3.0-or-later
// The data, and what is made of it by adding up. Nothing here touches the page.

const D = JSON.parse(document.getElementById('data').textContent);
const PAGE = D.page_size;

// The sizes of a VMA, and their meanings.
const ABOUT = {
	pss: 'proportional: each page divided by the number of its mappings',
	uss: 'unique: mapped only here; it would be free without this',
	rss: 'resident: mapped and in memory',
	swap: 'swapped out',
	anon: 'of rss: anonymous pages',
	file: 'of rss: pages of files',
	shmem: 'of rss: shared memory and tmpfs',
	size: 'virtual size, resident or not',
	vm: 'VM: virtual size, resident or not',
	mapped: 'mapped: has a page, in memory or in swap',
	eff_mapped: 'effective mapped: each page divided by its references',
	sole: 'sole mapped: pages with only one reference',
	resident: 'resident: in memory',
	eff_resident: 'effective resident: each page divided by its references',
	writable: 'writable: resident, by a writable page-table entry',
};
const TITLE = { eff_mapped: 'eff.map', eff_resident: 'eff.res', vm: 'VM' };
const SETS = {
	smaps: ['pss', 'uss', 'rss', 'swap', 'anon', 'file', 'shmem', 'size'],
	exmap: ['eff_resident', 'eff_mapped', 'sole', 'writable', 'resident', 'mapped', 'vm'],
};
const SIZES = Object.keys(D.vmas.sizes);

// Bytes of each of N.
function expand(column, n) {
	const out = new Float64Array(n);
	let i = 0;

	for (const x of column.v) {
		if (x < 0)
			i -= x;
		else
			out[i++] = x * column.unit;
	}
	return out;
}

const BYTES = {};

for (const n of SIZES)
	BYTES[n] = expand(D.vmas.sizes[n], D.vmas.start.length);
// exmap counts a page table once for each process that uses it, smaps' sizes add up
// when it counts once.
const EACH_PROC = new Set(SETS.exmap);

// Memory that several processes share is in the rows of each: these columns add up to any sum.
const REPEATED = new Set(['rss', 'anon', 'file', 'shmem', 'resident', 'writable']);
const OVER = 'pages that several processes share are in it several times; pss and effective ' +
	'sizes divide them';
const RAM = D.ram === null ? Infinity : D.ram;

// The sets for which the dump's data has all sizes.
function setsKnown() {
	return Object.keys(SETS).filter(k => SETS[k].every(n => SIZES.includes(n)));
}

function zero() {
	const z = {};

	for (const n of SIZES)
		z[n] = 0;
	return z;
}

function addVma(sum, i, times) {
	for (const n of SIZES)
		if (BYTES[n][i])
			sum[n] += BYTES[n][i] * (times > 1 && EACH_PROC.has(n) ? times : 1);
}

// A size of something that was not all read is a lower bound; a bound of 0 says nothing.
function lowerBound(row, why) {
	row.incomplete = why;
	for (const n of why ? SIZES : [])
		row[n] = row[n] || null;
	return row;
}

// The missing parts of an mm, in words, or ''.
function missingOf(mm) {
	const n = mm < 0 ? null : D.mms.incomplete?.[mm] ?? null;

	return n === null ? '' : D.strings[n];
}

function vmaRow(i) {
	const row = zero();

	addVma(row, i);
	lowerBound(row, missingOf(mmOfVma(i)));
	row.key = i;
	row.vma = i;
	row.start = D.vmas.start[i] * PAGE;
	row.pages = row.size / PAGE;
	row.object = D.vmas.object[i];
	row.flags = D.vmas.flags[i];
	row.perms = (row.flags & 1 ? 'r' : '-') + (row.flags & 2 ? 'w' : '-') +
		(row.flags & 4 ? 'x' : '-') + (row.flags & 8 ? 's' : 'p');
	row.offset = D.vmas.offset[i] * PAGE;
	row.name = row.object === null ? '' : objectName(row.object);
	return row;
}

function objectName(i) {
	const n = D.objects.name[i];

	return n === null ? '' : D.strings[n];
}

function vmasOfMm(mm) {
	const out = [], first = D.mms.first[mm], n = D.mms.n[mm];

	for (let i = first; i < first + n && i < D.vmas.start.length; i++)
		out.push(i);
	return out;
}

// ---- processes --------------------------------------------------------------------

function makeProcs() {
	const table = D.tables.procs, c = reader(table), seen = new Set(), out = [];

	for (let i = 0; i < (table.n || 0); i++) {
		const pid = c.pid(i), mm = D.proc_mm[pid];
		const row = zero();

		for (const n of SIZES.filter(x => !c[x] && mm !== undefined))
			for (const v of vmasOfMm(mm))
				row[n] += BYTES[n][v];
		for (const n of Object.keys(c))
			row[n] = c[n](i);
		row.key = pid;
		row.rank = -i;		// the report sorts what is incomplete by the kernel's counters
		lowerBound(row, row.incomplete);
		row.mm = mm === undefined ? -1 : mm;
		row.sharer = row.mm >= 0 && seen.has(row.mm);
		seen.add(row.mm);
		out.push(row);
	}
	return out;
}

const procs = makeProcs();
const procOfPid = new Map(procs.map(p => [p.pid, p]));
const procsOfMm = new Map();

for (const p of procs) {
	if (p.mm < 0)
		continue;
	if (!procsOfMm.has(p.mm))
		procsOfMm.set(p.mm, []);
	procsOfMm.get(p.mm).push(p);
}

// ---- files: the objects that VMAs map, by name --------------------------------------

// Parts of anonymous vmas that exmap counts as a file's .bss: by VMA.
function makeBss() {
	const n = D.bss.vma.length, sizes = {}, out = new Map();

	for (const [name, column] of Object.entries(D.bss.sizes))
		sizes[name] = expand(column, n);
	for (let i = 0; i < n; i++) {
		const part = { object: D.bss.object[i], bytes: {} };

		for (const name of Object.keys(sizes))
			part.bytes[name] = sizes[name][i];
		out.set(D.bss.vma[i], (out.get(D.bss.vma[i]) || []).concat(part));
	}
	return out;
}

const bssOfVma = makeBss();

// Adds VMA I to the row of its object, and the .bss in it to the files' rows.
function addMapping(rowOf, i, times = 1) {
	const row = rowOf(D.vmas.object[i]);

	if (row)
		addVma(row, i, times);
	for (const part of bssOfVma.get(i) || []) {
		const file = rowOf(part.object);

		for (const [n, bytes] of Object.entries(part.bytes)) {
			if (row)
				row[n] -= bytes * Math.max(times, 1);
			if (file)
				file[n] += bytes * Math.max(times, 1);
		}
	}
}

function makeObjects() {
	const rows = D.objects.name.map((n, i) => {
		const row = zero();

		row.key = i;
		row.name = objectName(i);
		row.kind = D.objects.kind[i];
		row.cached = D.objects.cached[i] === null ? 0 : D.objects.cached[i] * PAGE;
		row.vmas = [];
		row.bss = [];
		row.mms = new Set();
		return row;
	});

	for (let mm = 0; mm < D.mms.first.length; mm++) {
		for (const v of vmasOfMm(mm)) {
			const row = rows[D.vmas.object[v]];

			addMapping(o => rows[o], v, D.mms.procs[mm]);
			for (const part of bssOfVma.get(v) || [])
				rows[part.object]?.bss.push(v);
			if (!row)
				continue;
			row.vmas.push(v);
			row.mms.add(mm);
		}
	}
	for (const row of rows) {
		row.procs = 0;
		for (const mm of row.mms)
			row.procs += (procsOfMm.get(mm) || []).length;
		lowerBound(row, [...row.mms].map(missingOf).find(Boolean) || '');
	}
	return rows;
}

const objects = makeObjects();

// Largest value of each size that a list can show: it sets the width of columns.
const LARGEST = zero();

for (const row of objects)
	for (const n of SIZES)
		LARGEST[n] += row[n];

// Files of one mm: rows by object, with their VMAs.
function filesOfMm(mm) {
	const rows = new Map();

	const rowOf = o => {
		if (!rows.has(o))
			rows.set(o, Object.assign(zero(), { key: o,
				name: o === null ? '' : objectName(o), vmas: [] }));
		return rows.get(o);
	};

	for (const v of mm < 0 ? [] : vmasOfMm(mm)) {
		addMapping(rowOf, v);
		rowOf(D.vmas.object[v]).vmas.push(v);
	}
	for (const row of rows.values())
		lowerBound(row, missingOf(mm));
	return [...rows.values()];
}

// Processes of one object. Those that share an mm each show all of it.
function procsOfObject(o) {
	const byMm = new Map();

	for (const v of objects[o].vmas.concat(objects[o].bss)) {
		const mm = mmOfVma(v);
		let row = byMm.get(mm);

		if (!row) {
			row = Object.assign(zero(), { vmas: [] });
			byMm.set(mm, row);
		}
		addMapping(x => (x === o ? row : null), v);
		if (D.vmas.object[v] === o)
			row.vmas.push(v);
	}
	const out = [];

	for (const [mm, sum] of byMm) {
		lowerBound(sum, missingOf(mm));
		for (const p of procsOfMm.get(mm) || [])
			out.push({ ...sum, key: p.pid, pid: p.pid, comm: p.comm, cmdline: p.cmdline,
				mm, sharer: p.sharer });
	}
	return out;
}

function mmOfVma(v) {
	let lo = 0, hi = mmOrder.length - 1;

	while (lo < hi) {
		const mid = (lo + hi + 1) >> 1;

		if (D.mms.first[mmOrder[mid]] <= v)
			lo = mid;
		else
			hi = mid - 1;
	}
	return mmOrder[lo];
}

const mmOrder = D.mms.first.map((f, i) => i).filter(i => D.mms.n[i])
	.sort((a, b) => D.mms.first[a] - D.mms.first[b]);

// ---- all memory, as a tree whose leaves add up to the machine ------------------------

// By the id of the class, which in a stranger's capsule may be a word of this language.
const COLOUR = {
	__proto__: null,
	anonymous: 'blue', ksm: 'blue', swap_cache: 'blue', shmem_mapped: 'green',
	shmem: 'green', file_mapped: 'orange', file: 'yellow', block_device: 'yellow',
	slab: 'red', large_kmalloc: 'red', hugetlb_used: 'pink', hugetlb_free: 'pink',
	free: 'free', free_on_cpus: 'free',
};

// Sizes of PARTS, cut so that they are no more than ALL; the rest is LEFT.
function fitted(all, parts, left) {
	const kids = [];
	let rest = all;

	parts.sort((a, b) => b.bytes - a.bytes);
	for (const p of parts) {
		const bytes = Math.min(Math.floor(p.bytes), rest);

		if (bytes <= 0)
			continue;
		kids.push({ ...p, bytes });
		rest -= bytes;
	}
	if (kids.length && rest > 0)
		kids.push({ name: left, bytes: rest, left: true });
	return kids.sort((a, b) => b.bytes - a.bytes);
}

function ofProcs(size) {
	return procs.filter(p => !p.sharer && p[size] > 0).map(p => ({
		name: p.comm, id: String(p.pid), bytes: p[size], proc: p.pid }));
}

function ofObjects(bytes) {
	return objects.filter(o => bytes(o) > 0).map(o => ({
		name: o.name || '[anon]', bytes: bytes(o), object: o.key }));
}

// Rows of a table of owners that BELONG: {name, bytes}.
function ofTable(table, named, bytes, belongs = () => true) {
	const t = D.tables[table] || {}, c = reader(t), out = [];

	for (let i = 0; i < (t.n || 0); i++)
		if (belongs(c, i) && bytes(c, i) > 0)
			out.push({ ...named(c, i), bytes: bytes(c, i) });
	return out;
}

function ofCache(kind) {
	return ofTable('cache', (c, i) => ({ name: c.path(i) || '(unnamed)' }),
		(c, i) => c.cached(i) - c.mapped(i), (c, i) => c.kind(i) === kind);
}

function ofAreas(kind) {
	return ofTable('vmalloc', (c, i) => ({ name: c.caller(i), id: c.module(i) }), (c, i) => c.memory(i),
		(c, i) => c.kind(i) === kind);
}

// The id of the class in row I. In data of older capsules there is none: ids are made of the words of then.
function classOf(c, i) {
	return c.class_id ? c.class_id(i) : c.class(i).toLowerCase().replace(/[^a-z0-9]+/g, '_');
}

// Owners of class ID: those of one kind that one process holds are one piece.
function ofHolders(id) {
	const t = D.tables.holders || {}, c = reader(t), pieces = new Map();

	for (let i = 0; i < (t.n || 0); i++) {
		if (classOf(c, i) !== id || !c.size(i))
			continue;
		const pid = c.pid(i), key = pid === null ? c.what(i) : `${pid} ${c.kind(i)}`;
		const p = pieces.get(key);

		if (p)
			Object.assign(p, { bytes: p.bytes + c.size(i), n: p.n + 1,
				name: `${c.comm(i)}: ${c.kind(i)} × ${p.n + 1}` });
		else
			pieces.set(key, { bytes: c.size(i), n: 1,
				name: pid === null ? c.what(i) : `${c.comm(i)}: ${c.what(i)}`,
				...(pid === null ? {} : { id: String(pid), proc: pid }) });
	}
	return [...pieces.values()];
}

// What the classes of the census consist of, and the name of what is left.
const PARTS = {
	__proto__: null,
	anonymous: [() => ofProcs('pss_anon'), 'of no process found'],
	shmem_mapped: [() => ofObjects(o => o.pss_shmem), 'of no object found'],
	shmem: [() => ofCache('shmem'), 'smaller objects'],
	file_mapped: [() => ofObjects(o => o.pss_file), 'of no file found'],
	file: [() => ofCache('file'), 'smaller files'],
	slab: [() => ofTable('slab', (c, i) => ({ name: c.cache(i) }), (c, i) => c.memory(i)), 'of no cache found'],
	page_tables: [() => ofProcs('pgtables'), 'of no process found'],
	kernel_stacks: [() => ofTable('stacks', (c, i) => ({ name: c.comm(i), id: String(c.pid(i)),
		proc: c.pid(i) }), (c, i) => c.memory(i)), 'of no task found'],
	vmalloc: [() => ofAreas('vmalloc'), 'of no area found'],
	vmap: [() => ofAreas('vmap'), 'of no area found'],
};

// Without a census: what processes map.
function mappedTree() {
	return ['anonymous', 'shmem_mapped', 'file_mapped'].map(id => {
		const kids = PARTS[id][0]().sort((a, b) => b.bytes - a.bytes);

		return { name: id.replace('_', ' '), about: 'mapped by processes', kids, colour: COLOUR[id],
			bytes: kids.reduce((sum, k) => sum + k.bytes, 0) };
	}).filter(k => k.bytes);
}

function memoryTree() {
	const t = D.tables.census || {}, c = reader(t), kids = t.n ? [] : mappedTree();

	for (let i = 0; i < (t.n || 0); i++) {
		const id = classOf(c, i), bytes = c.size(i);

		if (!bytes)
			continue;
		const [parts, left] = PARTS[id] || [() => ofHolders(id), 'of no holder found'];

		kids.push({ name: c.class(i), about: c.what(i), bytes, kids: fitted(bytes, parts(), left),
			colour: COLOUR[id] || 'grey' });
	}
	kids.sort((a, b) => b.bytes - a.bytes);
	return { name: 'all memory', bytes: kids.reduce((sum, k) => sum + k.bytes, 0), kids };
}

// The largest pieces of any kind, except for free memory.
function owners(tree, n) {
	const out = [];

	for (const c of tree.kids) {
		if (c.colour === 'free')
			continue;
		if (!c.kids.length)
			out.push({ what: c.about, ...c });
		for (const k of c.kids)
			out.push({ ...k, what: c.name, name: k.left ? `${c.name}: ${k.name}` : k.name });
	}
	return out.sort((a, b) => b.bytes - a.bytes).slice(0, n);
}

// ---- pages: runs of equal pages (pagemap.h) -------------------------------------------

const KINDS = ['absent', 'zero page or device', 'swapped', 'anonymous', 'file', 'shared memory',
	'hugetlb', 'other', 'migrating, or taken by a device'];
let blob = null;

function mapBytes() {
	if (!blob) {
		const text = atob(D.maps);

		blob = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++)
			blob[i] = text.charCodeAt(i);
	}
	return blob;
}

// [{at, pages, state}] of VMA, without absent runs; null: not in this file.
function runsOf(vma) {
	const at = D.vmas.map_at[vma], out = [];

	if (at === null)
		return null;
	if (!D.vmas.map_len[vma])
		return out;
	const bytes = mapBytes(), end = at + D.vmas.map_len[vma];
	let i = at, page = 0;

	function number() {
		let v = 0, scale = 1, b;

		do {
			b = bytes[i++];
			v += (b & 127) * scale;
			scale *= 128;
		} while (b & 128 && i < end);
		return v;
	}
	while (i < end) {
		const pages = number(), s = D.states[number()] || [0, 0, 0];

		if (s[0])
			out.push({ at: page, pages, kind: s[0], writable: s[1], count: s[2] });
		page += pages;
	}
	return out;
}

// Runs of a file by its own pages: count is the number of vmas that hold each.
function unionRuns(vmas) {
	const edges = new Map();
	let left = 0;

	function edge(page, by) {
		edges.set(page, (edges.get(page) || 0) + by);
	}
	for (const v of vmas) {
		const runs = runsOf(v);

		if (!runs) {
			left++;
			continue;
		}
		for (const r of runs) {
			if (r.kind < 3)
				continue;
			edge(D.vmas.offset[v] + r.at, 1);
			edge(D.vmas.offset[v] + r.at + r.pages, -1);
		}
	}
	const pages = [...edges.keys()].sort((a, b) => a - b), out = [];
	let n = 0;

	pages.forEach((page, i) => {
		n += edges.get(page);
		if (n > 0)
			out.push({ at: page, pages: pages[i + 1] - page, kind: 4, writable: 0,
				count: n, union: true });
	});
	return { runs: out, left };
}
