// SPDX-License-Identifier: GPL-3.0-or-later
// Lists: sorted by their headings, filtered, added up; only rows in view exist.

const ROW = 21;
const unit = { name: 'KiB' };
const grouped = new Intl.NumberFormat('en-US');
const two = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2,
	maximumFractionDigits: 2 });

// Columns of a table that a report made, as functions of the row's number.
function reader(table) {
	const out = {};

	for (const [name, c] of Object.entries(table.columns || {})) {
		out[name] = c.type === 'text'
			? i => (c.v[i] === null ? '' : D.strings[c.v[i]])
			: i => c.v[i];
	}
	return out;
}

// All sizes are shown in the unit that the reader chose.
function amount(bytes) {
	if (bytes === null || bytes === undefined)
		return '-';
	switch (unit.name) {
	case 'GiB': return two.format(bytes / 1073741824);
	case 'MiB': return two.format(bytes / 1048576);
	case 'pages': return grouped.format(Math.floor(bytes / PAGE));
	case 'bytes': return grouped.format(Math.floor(bytes));
	default: return grouped.format(Math.floor(bytes / 1024));
	}
}

// The same in running text, with its unit.
function size(bytes) {
	return bytes === null || bytes === undefined ? 'unknown' : `${amount(bytes)} ${unit.name}`;
}

// An element with text: data never is markup.
function make(tag, props, ...kids) {
	const el = document.createElement(tag);

	for (const [k, v] of Object.entries(props || {})) {
		if (k === 'class')
			el.className = v;
		else if (k.startsWith('on'))
			el.addEventListener(k.slice(2), v);
		else
			el.setAttribute(k, v);
	}
	el.append(...kids);
	return el;
}

function sizeColumns(names) {
	return names.map(n => ({ name: n, title: TITLE[n] || n, about: ABOUT[n], size: true,
		num: true, total: true }));
}

// Digits are about as wide as 0.6 of the size of the letters.
function columnWidth(c) {
	if (!c.size || c.width)
		return c.width || 'auto';
	return Math.max(4.6, 0.64 * Math.max(amount(LARGEST[c.name]).length,
		(c.title || c.name).length + 1.5) + 1.3) + 'em';
}

// The name of a file first: it must be seen in a narrow column.
function pathParts(path) {
	const at = path.replace(/ \(deleted\)$/, '').lastIndexOf('/');

	if (path[0] !== '/' || at < 1 || at + 1 === path.length)
		return [make('bdi', {}, path)];
	return [make('bdi', {}, path.slice(at + 1)), ' ', make('small', {}, make('bdi', {},
		path.slice(0, at + 1)))];
}

function compare(a, b) {
	const none = x => x === null || x === undefined || x === '';

	if (none(a) || none(b))
		return none(a) - none(b);
	return a < b ? -1 : a > b ? 1 : 0;
}

class List {
	// columns: {name, title, num, size, total, width, about, text(row)}
	// once(row): false if another row shown has counted it
	constructor(host, opts) {
		this.host = host;
		this.id = host.id;
		this.opts = { rows: [], empty: '', ...opts };
		this.rows = [];
		this.shown = [];
		this.sort = { name: opts.sort, down: opts.down !== false };
		this.picked = null;
		this.build();
	}

	build() {
		const o = this.opts;

		this.of = make('span', { class: 'of' });
		this.count = make('span', { class: 'count' });
		this.filter = make('input', { type: 'search', placeholder: 'filter',
			'aria-label': `Filter: ${o.title}`, oninput: () => {
				this.refilter();
				changed(false);
			} });
		this.head = make('div', { class: 'pane-head' }, make('h2', {}, o.title), this.of,
			this.filter, this.count);
		this.table = make('table', { role: 'grid', 'aria-label': o.title });
		this.scroll = make('div', { class: 'scroll', tabindex: '0',
			onscroll: () => this.draw(), onkeydown: e => this.key(e) }, this.table);
		this.none = make('div', { class: 'empty' });
		this.host.replaceChildren(this.head, this.scroll, this.none);
		new ResizeObserver(() => this.draw()).observe(this.scroll);
		this.setColumns(o.columns);
	}

	setColumns(columns) {
		this.columns = columns;
		if (!columns.some(c => c.name === this.sort.name))
			this.sort = this.defaultSort();
		const heads = columns.map(c => make('th', { scope: 'col', class: c.num ? 'num' : '',
			'data-tip': c.about || '', 'data-title': c.title || c.name }, make('button', { 'data-sort': c.name,
			onclick: () => {
				this.order(c);
				changed();
			} }, c.title || c.name)));

		this.heads = heads;
		this.body = make('tbody');
		this.foot = make('tr', {}, ...columns.map(c => make('td', { class: c.num ? 'num' : '',
			'data-col': c.name })));
		this.cols = columns.map(() => make('col'));

		this.table.replaceChildren(make('colgroup', {}, ...this.cols),
			make('thead', {}, make('tr', {}, ...heads)), this.body,
			make('tfoot', {}, this.foot));
		this.widths();
		this.resort();
	}

	widths() {
		const all = this.columns.map(columnWidth);

		all.forEach((w, i) => {
			this.cols[i].style.width = w;
		});
		this.table.style.minWidth = all.reduce((sum, w) => sum + (parseFloat(w) || 13), 0) + 'em';
	}

	setRows(rows, of, empty) {
		this.rows = rows;
		this.of.textContent = this.of.dataset.tip = of || '';
		this.opts.empty = empty || this.opts.empty;
		this.picked = null;
		this.filter.value = '';
		this.scroll.scrollTop = 0;
		this.refilter();
	}

	order(c) {
		const down = this.sort.name === c.name ? !this.sort.down : Boolean(c.num);

		this.sort = { name: c.name, down };
		this.resort();
		this.scroll.scrollTop = 0;
	}

	refilter() {
		const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
		const texts = this.columns.filter(c => !c.size);

		this.shown = words.length ? this.rows.filter(r => {
			const all = texts.map(c => this.value(c, r)).join('\n').toLowerCase();

			return words.every(w => all.includes(w));
		}) : this.rows.slice();
		this.resort();
	}

	value(c, row) {
		return c.text ? c.text(row) : row[c.name];
	}

	resort() {
		const c = this.columns.find(x => x.name === this.sort.name);
		const way = this.sort.down ? -1 : 1;

		const by = r => (c.name === 'pss' && r.rank !== undefined ? r.rank : this.value(c, r));

		// unknown values come last in either direction
		this.shown.sort((a, b) => {
			const x = by(a), y = by(b);
			const none = compare(x, null) === 0 || compare(y, null) === 0 ? compare(x, y) : 0;

			return none || way * compare(x, y) || compare(a.key, b.key);
		});
		this.columns.forEach((k, i) => {
			if (k === c)
				this.heads[i].setAttribute('aria-sort', way < 0 ? 'descending' : 'ascending');
			else
				this.heads[i].removeAttribute('aria-sort');
		});
		this.totals();
		this.draw(true);
	}

	totals() {
		const n = this.shown.length, all = this.rows.length, o = this.opts;
		const once = o.once ? this.shown.filter(o.once()) : this.shown;

		this.count.textContent = (n === all ? grouped.format(n)
			: `${grouped.format(n)} of ${grouped.format(all)}`) +
			(this.columns.some(c => c.size) ? `, in ${unit.name}` : '') +
			(this.shown.some(r => r.incomplete)
				? '; * incomplete: sizes are at least these' : '');
		this.columns.forEach((c, i) => {
			const cell = this.foot.children[i];

			if (c.total) {
				const rows = EACH_PROC.has(c.name) ? this.shown : once;
				const sum = rows.reduce((s, r) => s + (r[c.name] || 0), 0);
				const none = !sum && this.shown.some(r => r.incomplete);
				const over = REPEATED.has(c.name) && sum > RAM;

				cell.textContent = over || none ? '-' : c.size ? amount(sum) : grouped.format(sum);
				cell.dataset.tip = over ? `No total: ${OVER}` : REPEATED.has(c.name) &&
					rows.length > 1 ? `As added up: ${OVER}` : '';
			} else {
				cell.textContent = i === (o.label || 0) ? 'TOTALS' +
					(this.shown.some(r => r.incomplete) ? ' *' : '') : '';
			}
		});
		this.none.hidden = all > 0;
		this.scroll.hidden = !all;
		this.filter.hidden = this.count.hidden = !all;
		this.none.textContent = o.empty;
		this.host.classList.toggle('filled', all > 0);
		this.table.setAttribute('aria-rowcount', n + 2);
	}

	cell(c, row) {
		const v = this.value(c, row);

		if (c.size)
			return amount(v);
		if (v === null || v === undefined || v === '')
			return '-';
		return c.plain ? String(v) : c.num ? grouped.format(v) : v;
	}

	draw(force) {
		const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 8);
		const n = Math.ceil(this.scroll.clientHeight / ROW) + 16;
		const last = Math.min(this.shown.length, first + n);

		if (!force && this.first === first && this.last === last)
			return;
		this.put(first, last);
	}

	// Rows from FIRST to before LAST, and the room of the others.
	put(first, last) {
		this.first = first;
		this.last = last;
		const rows = [this.gap(first)];

		for (let i = first; i < last; i++)
			rows.push(this.line(this.shown[i], i));
		rows.push(this.gap(this.shown.length - last));
		this.body.replaceChildren(...rows);
	}

	// All rows, as many as fit on paper; the last line counts the others.
	print(most) {
		this.put(0, Math.min(this.shown.length, most));
		this.body.lastChild.firstChild.textContent = this.shown.length > most
			? `${grouped.format(this.shown.length - most)} more rows are not printed` : '';
		this.body.lastChild.firstChild.style.height = 'auto';
	}

	gap(n) {
		const td = make('td', { colspan: this.columns.length });

		td.style.height = n * ROW + 'px';
		return make('tr', { class: 'gap', 'aria-hidden': 'true' }, td);
	}

	line(row, i) {
		const tr = make('tr', { 'data-key': row.key, 'aria-rowindex': i + 2,
			'aria-selected': row.key === this.picked,
			onclick: () => {
				this.pick(row.key);
				changed();
			} });

		for (const c of this.columns) {
			const text = this.cell(c, row), td = make('td', { 'data-col': c.name });

			td.className = (c.num ? 'num' : '') + (c.mono ? ' mono' : '');
			if (c.num || c.mono) {
				td.textContent = text;
			} else {
				td.append(...(c.path ? pathParts(text) : [make('bdi', {}, text)]));
				td.dataset.tip = text;
			}
			if (row.incomplete && c === this.columns[this.opts.label || 0]) {
				td.append(make('b', { class: 'mark' }, ' *'));
				td.dataset.tip = `${text}\nincomplete: ${row.incomplete}`;
			}
			tr.append(td);
		}
		return tr;
	}

	pick(key) {
		const row = this.rows.find(r => r.key === key);

		if (!row)
			return;
		this.picked = key;
		this.reveal(this.shown.indexOf(row));
		this.draw(true);
		if (this.opts.onpick)
			this.opts.onpick(row);
	}

	reveal(i) {
		const top = i * ROW, room = this.scroll.clientHeight - 3 * ROW;

		if (i < 0 || room <= 0)
			return;
		if (top < this.scroll.scrollTop)
			this.scroll.scrollTop = top;
		else if (top > this.scroll.scrollTop + room)
			this.scroll.scrollTop = top - room;
	}

	key(e) {
		const page = Math.max(1, Math.floor(this.scroll.clientHeight / ROW) - 3);
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
			Home: -Infinity, End: Infinity }[e.key];
		const at = this.shown.findIndex(r => r.key === this.picked);

		if (e.target !== this.scroll || step === undefined || !this.shown.length)
			return;
		e.preventDefault();
		this.pick(this.shown[Math.min(this.shown.length - 1, Math.max(0, at + step))].key);
		changed(false);
	}

	// ---- what the address tells (links.js) ----

	defaultSort() {
		const c = this.columns.find(x => x.name === this.opts.sort) ||
			this.columns.find(x => x.total);

		return { name: c.name, down: c.name !== this.opts.sort || this.opts.down !== false };
	}

	state() {
		const { name, down } = this.sort, plain = this.defaultSort();

		return { pick: this.picked === null ? null : String(this.picked), filter: this.filter.value,
			sort: name === plain.name && down === plain.down ? null : (down ? '-' : '') + name };
	}

	// The lists that follow this one are made anew when a row is picked here.
	restore({ pick, sort, filter }) {
		const name = (sort || '').replace('-', '');

		this.sort = this.columns.some(c => c.name === name)
			? { name, down: sort[0] === '-' } : this.defaultSort();
		this.filter.value = filter || '';
		this.refilter();
		const row = this.rows.find(r => String(r.key) === pick) ||
			(this.opts.usual && this.opts.usual(this.shown));

		if (row)
			this.pick(row.key);
	}
}
