// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a fleet: which view shows what.

const views = ['dumps', 'clusters', 'trends'];
const lists = [];
let shownView = views[0];

unit.name = 'MiB';

// The address has the view and the dump that is shown.
function changed() {
	const id = about.row ? '/' + about.row.id : '';

	history.replaceState(null, '', `#${shownView}${shownView === 'dumps' ? id : ''}`);
}

function open(view) {
	for (const v of views) {
		const on = v === view;

		$(v).hidden = !on;
		$(`tab-${v}`).setAttribute('aria-selected', on);
	}
	shownView = view;
	hideTip();
	changed();
	for (const l of lists)
		l.draw(true);
}

// ---- one dump ------------------------------------------------------------------------------

const about = { row: null };

function fact(name, value) {
	return value === null || value === undefined || value === '' ? []
		: [make('dt', {}, name), make('dd', {}, make('bdi', {}, String(value)))];
}

function ordered(title, items) {
	return items.length ? [make('h2', {}, title), make('ol', {}, ...items.map(x => make('li', {},
		make('bdi', {}, x))))] : [];
}

// What the fleet has about the dump, and the way to its own page.
function showDump(row) {
	const r = row, costs = D.costs[r.key], host = $('d-about');
	const file = `${r.id.replace(/\.vmc$/, '')}.html`;

	about.row = r;
	host.replaceChildren(make('div', { class: 'pane-head' }, make('h2', {}, r.cause || r.panic || r.kind)),
		make('div', { class: 'scroll told' },
			make('dl', {}, ...fact('identity', r.id), ...fact('machine', r.nodename),
				...fact('release', r.release), ...fact('crashed', r.crashed), ...fact('kind', r.kind),
				...fact('panic', r.panic), ...fact('event', r.event), ...fact('limit', r.limit),
				...fact('cause', r.cause), ...fact('owner', r.owner), ...fact('held', r.held === null
					? '' : size(r.held)), ...fact('RAM', r.ram === null ? '' : size(r.ram)),
				...fact('hash (ABRT)', r.hash), ...fact('file', r.dump), make('dt', {}, 'own page'),
				make('dd', {}, make('a', { href: encodeURIComponent(file), id: 'own' }, file))),
			...ordered('Calls, innermost first', r.frames ? r.frames.split(' ') : []),
			make('h2', {}, 'Largest'),
			make('table', {}, ...costs.map(([kind, name, bytes]) => make('tr', {},
				make('td', {}, D.strings[kind]), make('td', { class: 'num' }, amount(bytes)),
				make('td', {}, make('bdi', {}, D.strings[name])))))));
}

// ---- lists -----------------------------------------------------------------------------------

function list(host, title, table, names, rows, opts, wide) {
	const l = new List($(host), { title, columns: columnsOf(table, names, wide || {}), ...opts });

	l.setRows(rows);
	lists.push(l);
	return l;
}

const DUMPS = ['crashed', 'kind', 'cause', 'owner', 'nodename', 'release', 'function', 'cluster', 'held', 'id'];
const WIDE = { crashed: '10.5em', kind: '6em', cluster: '5.5em' };

const dumpList = list('d-dumps', 'Dumps', D.tables.dumps, DUMPS, dumps, { sort: 'crashed', onpick: showDump }, WIDE);
const memberList = list('c-dumps', 'Its dumps', D.tables.dumps, DUMPS, [], { sort: 'crashed',
	empty: 'Pick a cluster.', onpick: r => {
		open('dumps');
		dumpList.pick(r.key);
		changed();
	} }, WIDE);

list('c-clusters', 'Clusters', D.tables.clusters,
	['dumps', 'machines', 'kind', 'cause', 'owner', 'function', 'limit', 'first', 'last', 'releases', 'hash'],
	clusters, { sort: 'dumps', onpick: r => memberList.setRows(dumps.filter(d => d.cluster === r.key + 1),
		r.cause || r.kind) }, { kind: '6em', first: '10.5em', last: '10.5em' });

list('t-regress', 'Cost by release', D.tables.regress,
	['kind', 'name', 'release', 'since', 'dumps', 'median', 'spread', 'delta', 'change', 'notable'],
	regress, { sort: 'notable', empty: 'All dumps are of one release.' }, { kind: '6em' });
list('t-leaks', 'What only grows', D.tables.leaks,
	['nodename', 'kind', 'name', 'dumps', 'boots', 'before', 'after', 'per_hour'], leaks,
	{ sort: 'per_hour', empty: 'No machine has three dumps or more.' }, { kind: '6em' });

// ---- trends ------------------------------------------------------------------------------------

const SHOWN = 7;
const COLOURS = ['blue', 'orange', 'green', 'pink', 'red', 'sky', 'ink', 'grey'];

// One bar a month, or a day if all are in two months: the clusters of its dumps.
function trend() {
	const dated = dumps.filter(d => d.crashed), months = new Set(dated.map(d => d.crashed.slice(0, 7)));
	const len = months.size > 2 ? 7 : 10, by = new Map();

	for (const d of dated) {
		const when = d.crashed.slice(0, len), at = Math.min(d.cluster - 1, SHOWN);

		if (!by.has(when))
			by.set(when, new Array(SHOWN + 1).fill(0));
		by.get(when)[at]++;
	}
	const most = Math.max(1, ...[...by.values()].map(v => v.reduce((a, b) => a + b)));
	const name = i => (i < SHOWN ? clusters[i].cause || clusters[i].kind : 'all others');
	const used = COLOURS.map((c, i) => i).filter(i => clusters[i] && (i < SHOWN || clusters.length > SHOWN));
	const bars = [...by.keys()].sort().map(when => {
		const bar = make('div', { class: 'bar' });

		by.get(when).forEach((n, i) => {
			if (!n)
				return;
			const part = make('i', { 'data-tip': `${when}: ${n} of ${name(i)}`, 'data-n': n });

			part.style.width = 80 * n / most + '%';
			part.style.background = `var(--${COLOURS[i]})`;
			bar.append(part);
		});
		return make('tr', {}, make('td', {}, when), make('td', { class: 'num' },
			String(by.get(when).reduce((a, b) => a + b))), make('td', { class: 'of-bar' }, bar));
	});
	const legend = used.map(i => {
		const box = make('i');

		box.style.background = `var(--${COLOURS[i]})`;
		return make('span', {}, box, name(i));
	});

	$('t-time').replaceChildren(make('div', { class: 'pane-head' }, make('h2', {}, 'Crashes, by cluster')),
		make('div', { class: 'scroll told' }, make('table', { class: 'bars' }, ...bars)),
		make('div', { class: 'legend' }, ...legend));
}

// ---- the page ------------------------------------------------------------------------------------

for (const v of views)
	$(`tab-${v}`).addEventListener('click', () => open(v));
for (const u of ['KiB', 'MiB', 'GiB', 'bytes'])
	$('unit').append(make('option', {}, u));
$('unit').addEventListener('change', () => {
	unit.name = $('unit').value;
	for (const l of lists)
		l.resort();
	if (about.row)
		showDump(about.row);
});
$('theme').addEventListener('click', () => {
	const root = document.documentElement;

	root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
});
$('host').textContent = `${grouped.format(dumps.length)} dumps`;
$('release').textContent = `${grouped.format(clusters.length)} clusters` +
	(D.failed ? `, ${grouped.format(D.failed)} dumps without a capsule` : '');
$('unit').value = unit.name;
trend();

function restore() {
	const [view, id] = location.hash.slice(1).split('/');
	const row = dumps.find(d => d.id === id);

	open(views.includes(view) ? view : views[0]);
	if (row || dumps.length)
		dumpList.pick((row || dumpList.shown[0]).key);
	if (shownView === 'dumps')
		changed();
}
restore();
