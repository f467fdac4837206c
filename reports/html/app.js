// SPDX-License-Identifier: GPL-3.0-or-later
// Which view shows what.

const $ = id => document.getElementById(id);
const views = ['overview', 'processes', 'files', 'charts', 'log'];
const UNITS = ['KiB', 'MiB', 'GiB', 'pages', 'bytes'];
const lists = [];
let set = setsKnown()[0];

// ---- tabs ----------------------------------------------------------------------------

const ready = {};

function open(view) {
	for (const v of views) {
		const tab = $(`tab-${v}`), on = v === view;

		$(v).hidden = !on;
		tab.setAttribute('aria-selected', on);
		tab.tabIndex = on ? 0 : -1;
	}
	shownView = view;
	document.title = `${D.host || 'unknown host'}: ${$(`tab-${view}`).textContent} — vmcensus`;
	hideTip();
	if (start[view] && !ready[view]) {
		ready[view] = true;
		start[view]();
	}
}

function tabKey(e) {
	const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];

	if (!step)
		return;
	const at = views.findIndex(v => e.target.id === `tab-${v}`);
	const next = views[(at + step + views.length) % views.length];

	open(next);
	changed(false);
	$(`tab-${next}`).focus();
}

// ---- overview ------------------------------------------------------------------------

// Rows of the summary: by section, [{key, value, unit, text, pid}].
function summary() {
	const t = D.tables.summary, c = reader(t), out = {};

	for (let i = 0; i < (t.n || 0); i++)
		(out[c.section(i)] = out[c.section(i)] || []).push({ key: c.key(i), text: c.text(i),
			value: c.value(i), unit: c.unit(i), pid: c.pid(i) });
	return out;
}

function headline(machine) {
	const of = key => machine.filter(r => r.key === key);
	const reason = of('reason')[0], kills = of('oom_kills')[0];
	const lines = of('victim').map(r => `Victim: ${r.text}`);

	if (kills && kills.value)
		lines.push(`${kills.value} killed by the OOM killer since boot`);
	if (of('task')[0])
		lines.push(`Task: ${of('task')[0].text}`);
	$('headline').textContent = reason ? reason.text : 'No reason known';
	$('headline').classList.toggle('bad', Boolean(of('task')[0] || lines.length));
	for (const l of lines)
		$('headline').append(make('small', {}, l));
}

// Why memory ran out: report oom --verdict.
function sentences() {
	const t = D.tables.verdict || {}, c = reader(t);

	for (let i = 0; i < (t.n || 0); i++) {
		const said = [c.report(i)].concat(c.certainty(i) === 'certain' ? []
			: [c.certainty(i), c.why(i)]);

		$('sentences').append(make('li', {}, c.text(i), ' ',
			make('small', {}, said.filter(Boolean).join('; '))));
	}
}

function facts(all) {
	const skip = ['reason', 'task', 'victim', 'oom_kills'];

	$('facts').replaceChildren();
	for (const r of (all.machine || []).filter(x => !skip.includes(x.key)))
		$('facts').append(make('dt', {}, r.key), make('dd', {}, r.key === 'dump'
			? r.text.replace(/[0-9]+ MiB of pages$/, `${size(D.dump_bytes)} of pages`) : r.text));
	for (const [title, rows] of [['memory', all.memory], ['swap', all.swap]])
		for (const r of (rows || []).filter(x => ['total', 'available', 'used'].includes(x.key)))
			$('facts').append(make('dt', {}, `${title} ${r.key}`),
				make('dd', {}, size(r.value)));
}

function notes(title, rows, cell) {
	if (!rows || !rows.length)
		return;
	$('notes').append(make('h2', {}, title), make('table', {}, ...rows.map(r => make('tr', {},
		make('td', { class: 'num' }, cell(r)), make('td', {}, r.key),
		make('td', { class: 'text' }, r.text)))));
}

function ownerList(tree) {
	const top = owners(tree, 14), most = top.length ? top[0].bytes : 1;

	$('owners').replaceChildren(top.length ? '' : 'not known', ...top.map(o => {
		const fill = make('span', { class: 'fill' });

		fill.style.width = 100 * o.bytes / most + '%';
		return make('li', { tabindex: '0', onclick: () => openOwner(o),
			onkeydown: e => e.key === 'Enter' && openOwner(o) }, fill,
		make('span', { class: 'name', 'data-tip': `${o.name}\n${o.what}` },
			...pathParts(o.name), ' ',
			make('small', {}, (o.id ? `${o.id} · ` : '') + o.what)),
		make('span', { class: 'num' }, size(o.bytes)));
	}));
}

function openOwner(o) {
	if (o.proc !== undefined) {
		open('processes');
		panes.processes.first.pick(o.proc);
	} else if (o.object !== undefined) {
		open('files');
		panes.files.first.pick(o.object);
	}
	changed();
}

// The overview: drawn when it is opened first.
const overview = { draw: () => {} };

function startOverview() {
	const all = summary(), tree = memoryTree();
	const map = new Treemap($('treemap'), tree, { onopen: openOwner, onmove: moved });

	function moved(node) {
		const top = node === tree;

		$('crumbs').replaceChildren(...(top ? [] : [make('button',
			{ onclick: () => map.step(tree) }, '← all memory'), ` ${node.name}, ` +
			size(node.bytes)]));
		$('memory-note').textContent = top
			? 'Areas are page frames, each counted once, by report census; inside, the owners: ' +
			  'processes and files by their proportional share. Click to go inside, or on to a ' +
			  'process or file.'
			: node.about;
	}
	overview.draw = () => {
		facts(all);
		ownerList(tree);
		$('notes').replaceChildren();
		notes('In the log (how often, and the last of each)', all.log,
			r => grouped.format(r.value));
		notes('All processes together', all.processes, r => size(r.value));
		notes('Not in the dump', all.left_out, r => size(r.value));
		$('memory-total').textContent = tree.bytes
			? `${size(tree.bytes)} in all` : '';
		moved(map.at);
		map.draw();
	};
	headline(all.machine || []);
	sentences();
	overview.draw();
	map.id = 'area';
	linked('overview', map);
}

// ---- processes and files: exmap's panes -----------------------------------------------

const panes = {};

function nameColumn(title) {
	return { name: 'name', title: title || 'file', path: true, about: 'file, or [heap], [stack] ... ' +
		'as maps names it', text: r => r.name || '[anon]' };
}

const PID = { name: 'pid', title: 'pid', num: true, plain: true, width: '5.2em',
	about: 'process id' };
const COMM = { name: 'comm', title: 'process', about: 'name of the process' };

const VIEW_OF = { p: 'processes', f: 'files' };

function list(id, opts, names) {
	const view = VIEW_OF[id[0]];
	const l = new List($(id), { ...opts, columns: names().concat(opts.before ? opts.before() : []) });

	lists.push({ l, names });
	linked(view, l);
	return l;
}

// Every process that shares an mm shows all of it: totals take one of them.
function oncePerMm() {
	const seen = new Set();

	return r => {
		if (r.mm < 0 || !seen.has(r.mm)) {
			seen.add(r.mm);
			return true;
		}
		return false;
	};
}

const sizes = () => sizeColumns(SETS[set]);
const vmaColumns = () => [
	{ name: 'start', title: 'address', mono: true, width: '10.5em', text: r => r.start,
		about: 'first address' },
	{ name: 'perms', title: 'perms', mono: true, width: '5em', about: 'r, w, x, private, shared' },
	{ name: 'offset', title: 'offset', num: true, size: true, width: '7em',
		about: 'where in the file it begins' },
	...sizeColumns(SETS[set].filter(n => n !== 'anon' && n !== 'file' && n !== 'shmem')),
];

function vmaList(id, pages) {
	const l = list(id, { title: 'VMAs', sort: 'start', down: false, label: 0,
		empty: 'No file selected', onpick: r => pages([r]) }, vmaColumns);

	l.cell = function (c, row) {
		return c.name === 'start' ? '0x' + row.start.toString(16)
			: List.prototype.cell.call(this, c, row);
	};
	return l;
}

function part(r) {
	const runs = runsOf(r.vma);

	return { title: `0x${r.start.toString(16)} ${r.perms} ${r.name || '[anon]'}`,
		base: r.start, address: true, pages: r.pages, bytes: r.size, runs: runs || [],
		note: runs ? (runs.length ? '' : '— nothing present')
			: '— left out of this file: too large' };
}

const MAP_PARTS = 2000;

function drawVmas(map, rows, of) {
	const some = rows.slice(0, MAP_PARTS);

	map.show(some.map(part), of + (rows.length > MAP_PARTS
		? ` (the first ${grouped.format(MAP_PARTS)} of ${grouped.format(rows.length)} vmas)`
		: ''));
}

const TOO_MANY = 'Too many vmas for all processes: select one';

// Panes for the ELF file that FILES.pick() shows; mm: of one process, null: of all.
class ElfPanes {
	constructor(prefix) {
		const names = () => sizeColumns(SETS.exmap);

		this.host = $(prefix === 'p' ? 'processes' : 'files');
		this.sections = list(`${prefix}-sections`, { title: 'ELF sections', label: 0,
			sort: 'eff_resident', empty: this.why(null), onpick: r => this.pick(r) }, () => [
			{ name: 'name', title: 'section', width: '9em', about: 'name of the section' },
			{ name: 'offset', title: 'offset', num: true, plain: true, width: '5.4em',
				about: 'in the file' }, ...names()]);
		this.symbols = list(`${prefix}-symbols`, { title: 'ELF symbols', label: 0,
			sort: 'eff_resident', empty: 'No section selected' }, () => [
			{ name: 'name', title: 'symbol', about: 'functions and objects' }, ...names()]);
		this.host.classList.toggle('known', D.elf.length > 0);
		this.show(null, null);
	}

	why(object) {
		const name = object === null ? '' : objectName(object);

		if (!D.elf.length)
			return D.elf_note ? `No binaries are known: ${D.elf_note}` : 'No binaries are known';
		if (object === null)
			return 'No file selected';
		return !objects[object].kind ? `${name || '[anon]'} is not an ELF file`
			: `${name} is not an ELF file, or not known` + (D.elf_note ? `: ${D.elf_note}` : '');
	}

	show(object, mm) {
		const elf = object === null ? null : elfOfObject.get(object);

		this.elf = elf || null;
		this.memory = elf ? elfMemory(elf, mm) : null;
		const rows = elf ? elfSections(elf, this.memory) : [];

		this.sections.setRows(rows || [], elf ? objectName(object) : '', rows
			? this.why(object) : TOO_MANY);
		this.symbols.setRows([], '', elf ? 'No section selected' : this.why(object));
	}

	pick(section) {
		const rows = elfSymbols(this.elf, this.memory, section);
		const left = this.elf.symbols_left_out;

		this.symbols.setRows(rows || [], `${section.name}, from ${this.elf.symbols_from || '-'}` +
			(left ? `; ${grouped.format(left)} symbols were left out` : ''), rows
			? `No symbols found in section ${section.name}`
			: TOO_MANY);
	}
}

function startProcesses() {
	const map = new PageMap($('p-map'), 'No file selected');
	const elf = new ElfPanes('p');
	const vmas = vmaList('p-vmas', rows => drawVmas(map, rows, rows[0].name || '[anon]'));
	let proc = null;
	const files = list('p-files', { title: 'Files of the process', sort: 'pss', label: 0,
		empty: 'No process selected', onpick: r => {
			const rows = r.vmas.map(vmaRow);

			vmas.setRows(rows, `${r.name || '[anon]'} in ${proc.comm} (${proc.pid})`);
			drawVmas(map, rows, `${r.name || '[anon]'} in ${proc.comm} (${proc.pid})`);
			elf.show(r.key, proc.mm);
		} }, () => [nameColumn(), ...sizes()]);
	const first = list('p-procs', { title: 'Processes', sort: 'pss', label: 1, once: oncePerMm,
		usual: shown => shown[0], empty: 'No process in the dump', onpick: r => {
			proc = r;
			files.setRows(filesOfMm(r.mm), `${r.comm} (${r.pid})` +
				(r.cmdline ? ` — ${r.cmdline}` : ''), r.incomplete
				? `Not known: ${r.incomplete}` : r.mm < 0 ? 'It has no mm'
				: 'It maps nothing');
			vmas.setRows([], '', 'No file selected');
			map.show([], '', 'No file selected');
			elf.show(null, null);
			if (files.shown.length)
				files.pick(files.shown[0].key);
		} }, () => [PID, COMM, ...sizes()]);

	panes.processes = { first, files, vmas, map };
	first.setRows(procs);
	first.restore({ pick: null });
}

function startFiles() {
	const map = new PageMap($('f-map'), 'No file selected');
	const elf = new ElfPanes('f');
	const vmas = vmaList('f-vmas', rows => drawVmas(map, rows, rows[0].name || '[anon]'));
	let file = null;
	const users = list('f-procs', { title: 'Processes of the file', sort: 'pss', label: 1,
		once: oncePerMm, empty: 'No file selected', onpick: r => {
			const rows = r.vmas.map(vmaRow), of = `${file.name || '[anon]'} in ${r.comm} (${r.pid})`;

			vmas.setRows(rows, of);
			drawVmas(map, rows, of);
			elf.show(file.key, r.mm);
		} }, () => [PID, COMM, ...sizes()]);
	const first = list('f-files', { title: 'Files', sort: 'pss', label: 0,
		usual: shown => shown.find(r => r.kind) || shown[0],
		empty: 'Nothing is mapped', onpick: r => {
			file = r;
			users.setRows(procsOfObject(r.key), r.name || '[anon]', 'No process maps it');
			vmas.setRows([], '', 'No process selected');
			showUnion(map, r);
			elf.show(r.key, null);
		} }, () => [nameColumn(), { name: 'procs', title: 'procs', num: true, width: '4.6em',
		about: 'processes that map it' }, ...sizes()]);

	panes.files = { first, users, vmas, map };
	first.setRows(objects);
	first.restore({ pick: null });
}

// A file by its own pages. Other memory has no pages in common.
function showUnion(map, r) {
	if (!r.kind) {
		map.show([], '', 'This is no file: select a process');
		return;
	}
	const { runs, left } = unionRuns(r.vmas);
	const last = runs.length ? runs[runs.length - 1].at + runs[runs.length - 1].pages : 0;

	map.show([{ title: `pages of ${r.name}`, base: 0, pages: last, runs, union: true,
		note: left ? `— ${left} vmas were left out of this file` : runs.length ? ''
			: '— nothing present' }], `${r.name}, all processes`);
}

// ---- log -----------------------------------------------------------------------------

function startLog() {
	const table = D.tables.dmesg, c = reader(table);
	const lines = Array.from({ length: table.n || 0 }, (x, i) => ({ key: i, ts: c.ts(i),
		level: c.level(i), text: c.text(i) }));
	const log = new Log($('l-log'), lines, D.panic_line, typeof table === 'string' ? table
		: 'The log is empty');

	linked('log', log);
	log.restore({ pick: null, filter: '' });
}

// ---- all of it -----------------------------------------------------------------------

const start = { overview: startOverview, processes: startProcesses, files: startFiles,
	log: startLog };

function redraw() {
	$('unit').value = unit.name;
	overview.draw();
	drawCharts();
	for (const { l } of lists) {
		l.widths();
		l.totals();
		l.draw(true);
	}
	for (const p of Object.values(panes))
		p.map.layout();
}

function chooseUnit(name) {
	if (name === unit.name || !UNITS.includes(name))
		return;
	unit.name = name;
	redraw();
}

function chooseSet(name) {
	if (name === set || !setsKnown().includes(name))
		return;
	set = $('set').value = name;
	for (const { l, names } of lists)
		l.setColumns(names());
}

function setTheme(dark) {
	document.documentElement.dataset.theme = dark ? 'dark' : 'light';
	for (const p of Object.values(panes))
		p.map.draw();
}

function tools() {
	const dark = matchMedia('(prefers-color-scheme: dark)');

	setTheme(dark.matches);
	dark.addEventListener('change', () => setTheme(dark.matches));
	$('theme').addEventListener('click', () =>
		setTheme(document.documentElement.dataset.theme !== 'dark'));
	for (const name of UNITS)
		$('unit').append(make('option', { value: name }, name));
	$('unit').addEventListener('change', () => {
		chooseUnit($('unit').value);
		changed();
	});
	for (const name of setsKnown())
		$('set').append(make('option', { value: name }, name));
	$('set-label').hidden = setsKnown().length < 2;
	$('set').addEventListener('change', () => {
		chooseSet($('set').value);
		changed();
	});
}

function startPage() {
	tools();
	startCharts();
	showIssues();
	$('host').textContent = D.host || 'unknown host';
	$('release').textContent = `Linux ${D.release}` + (D.crash_time
		? ` · ${new Date(D.crash_time * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
		: '');
	for (const v of views) {
		$(`tab-${v}`).dataset.text = $(`tab-${v}`).textContent;
		$(`tab-${v}`).addEventListener('click', () => {
			open(v);
			changed();
		});
		$(`tab-${v}`).addEventListener('keydown', tabKey);
	}
	document.addEventListener('keydown', e => {
		const field = document.querySelector('main > section:not([hidden]) input');

		if (e.key === '/' && field && !/^(INPUT|SELECT)$/.test(e.target.tagName)) {
			e.preventDefault();
			field.focus();
		}
	});
	addEventListener('beforeprint', beforePrint);
	addEventListener('afterprint', afterPrint);
	addEventListener('hashchange', follow);
	open('overview');
	follow();
}

startPage();
