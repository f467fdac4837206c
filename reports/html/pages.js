// SPDX-License-Identifier: GPL-3.0-or-later
// The page map: one cell for each page (or for more of them, zoomed out), as the
// USENIX'05 paper on physical memory printed it: who is there, and how many share it.

// Pages in a cell, and its pixels. Digits show from 12 pixels on.
const ZOOM = [[1, 14], [1, 12], [1, 9], [1, 6], [1, 4], [1, 3]];

for (let n = 2; n <= 2 ** 22; n *= 2)
	ZOOM.push([n, 3]);

const FIT = 2200;		// pixels of height that the first view may have
const TALLEST = 8e6;		// browsers end at some 16 million
const GUTTER = 118;
const HEADING = 17;
const HOLE = 8192;		// absent pages in a row that are not drawn

const PAGE_COLOURS = {
	1: ['#9aa1a9'], 2: ['#cc79a7'], 3: ['#0072b2', '#3d98cf', '#7fc0e8'],
	4: ['#d98c00', '#eeb445', '#f6d595'], 5: ['#00795a', '#2fae88', '#86d3b9'],
	6: ['#c24e00'], 7: ['#757d86'], 8: ['#a58fd0'],
};

function shade(kind, count) {
	const c = PAGE_COLOURS[kind] || PAGE_COLOURS[7];

	return c[Math.min(c.length - 1, count >= 10 ? 2 : count > 1 ? 1 : 0)];
}

function glyph(count) {
	return count >= 10 ? '#' : count ? String(count) : '';
}

class PageMap {
	constructor(host, empty) {
		this.host = host;
		this.empty = empty;
		this.parts = [];
		this.zoom = 0;
		this.of = make('span', { class: 'of' });
		this.level = make('span');
		const head = make('div', { class: 'pane-head' }, make('h2', {}, 'Pages'), this.of,
			make('div', { class: 'zoom' },
				make('button', { 'data-tip': 'Smaller (-)', 'aria-label': 'Smaller',
					'data-zoom': '1',
					onclick: () => this.by(1) }, '−'), this.level,
				make('button', { 'data-tip': 'Larger (+)', 'aria-label': 'Larger',
					'data-zoom': '-1',
					onclick: () => this.by(-1) }, '+'),
				make('button', { 'data-tip': 'Fill the window (Esc: back)',
					'aria-label': 'Fill the window', 'data-enlarge': '1',
					onclick: () => this.enlarge() }, '⤢')));

		this.canvas = make('canvas', { 'aria-hidden': 'true' });
		this.space = make('div', { class: 'space' });
		this.view = make('div', { class: 'view', tabindex: '0', 'aria-label':
			'Map of pages; plus and minus zoom', onscroll: () => this.draw(),
			onkeydown: e => this.key(e), onwheel: e => this.wheel(e) }, this.space);
		hint(this.view, e => this.under(e));
		this.map = make('div', { class: 'map' }, this.view, this.canvas);
		this.none = make('div', { class: 'empty' });
		this.legend = make('div', { class: 'legend' });
		host.replaceChildren(head, this.map, this.none, this.legend);
		new ResizeObserver(() => this.layout()).observe(this.map);
		this.show([], '', empty);
	}

	// PARTS: {title, base (address or page), pages, runs, address, from}
	show(parts, of, empty) {
		this.parts = [];
		for (const p of parts)
			this.cut(p);
		this.of.textContent = this.of.dataset.tip = of;
		this.none.textContent = empty || this.empty;
		this.none.hidden = this.parts.length > 0;
		this.map.hidden = this.legend.hidden = !this.parts.length;
		for (const b of this.host.querySelectorAll('.zoom'))
			b.hidden = !this.parts.length;
		this.zoom = 0;
		this.fit();
		this.legends(parts);
	}

	// Long holes are not drawn: a line says so, and the map goes on after it.
	cut(p) {
		let part = null;

		if (!p.runs.length) {
			this.parts.push({ ...p, pages: 0, first: 0, note: p.note });
			return;
		}
		for (const r of p.runs) {
			const end = part ? part.first + part.pages : 0;

			if (!part || r.at - end > HOLE) {
				part = { ...p, runs: [], first: part || r.at > HOLE ? r.at - r.at % 64 : 0,
					hole: r.at - end > HOLE ? r.at - end : 0 };
				this.parts.push(part);
			}
			part.runs.push(r);
			part.pages = r.at + r.pages - part.first;
		}
		if (part)
			part.pages += Math.min(p.pages - part.first - part.pages, HOLE);
	}

	legends(parts) {
		const union = parts.some(p => p.union);
		const kinds = new Set(parts.flatMap(p => p.runs.map(r => r.kind)));
		const items = [...kinds].sort().map(k => make('span', {}, ...PAGE_COLOURS[k].map(c => {
			const i = make('i');

			i.style.background = c;
			return i;
		}), union ? 'vmas that have it: 1, 2–9, 10 and more' : KINDS[k] +
			(PAGE_COLOURS[k].length > 1 ? ': mapped once, 2–9 times, more' : '')));

		this.legend.replaceChildren(...items);
	}

	fit() {
		const width = this.view.clientWidth;

		this.zoom = 0;
		if (width)
			while (this.zoom < ZOOM.length - 1 && this.height(this.zoom) > FIT)
				this.zoom++;
		this.layout();
	}

	columns(zoom) {
		const n = Math.floor((this.view.clientWidth - GUTTER - 14) / ZOOM[zoom][1]);

		return Math.max(8, n >= 64 ? n - n % 64 : n - n % 8);
	}

	rowsOf(part, zoom) {
		return Math.ceil(part.pages / (ZOOM[zoom][0] * this.columns(zoom)));
	}

	height(zoom) {
		return this.parts.reduce((h, p) => h + HEADING + this.rowsOf(p, zoom) * ZOOM[zoom][1] + 5,
			0);
	}

	layout() {
		let y = 2;

		for (const p of this.parts) {
			p.y = y;
			p.h = HEADING + this.rowsOf(p, this.zoom) * ZOOM[this.zoom][1];
			y += p.h + 5;
		}
		this.space.style.height = y + 'px';
		const [pages, px] = ZOOM[this.zoom];

		this.level.textContent = `${size(pages * PAGE)} a cell` + (pages > 1 ? '' : `, ${px} px`);
		hideTip();
		this.draw();
	}

	by(step) {
		const next = this.zoom + step, seen = this.atTop();

		if (next < 0 || next >= ZOOM.length || this.height(next) > TALLEST)
			return;
		this.zoom = next;
		this.layout();
		if (seen) {
			const [pages, px] = ZOOM[next];

			this.view.scrollTop = seen.part.y + (seen.page
				? HEADING + Math.floor(seen.page / (pages * this.columns(next))) * px : 0);
		}
	}

	// The first page in view, so that it stays in view.
	atTop() {
		const top = this.view.scrollTop, p = this.parts.find(q => q.y + q.h > top);

		if (!p)
			return null;
		const [pages, px] = ZOOM[this.zoom];
		const row = Math.max(0, Math.floor((top - p.y - HEADING) / px));

		return { part: p, page: row * pages * this.columns(this.zoom) };
	}

	key(e) {
		const step = { '+': -1, '=': -1, '-': 1 }[e.key];

		if (step)
			this.by(step);
		else if (e.key === 'Escape' && this.host.classList.contains('enlarged'))
			this.enlarge();
		else
			return;
		e.preventDefault();
	}

	wheel(e) {
		if (!e.ctrlKey)
			return;
		e.preventDefault();
		this.by(e.deltaY > 0 ? 1 : -1);
	}

	enlarge() {
		const on = this.host.classList.toggle('enlarged');

		this.host.parentElement.classList.toggle('large', on);
		this.fit();
		this.view.focus();
	}

	draw() {
		const w = this.view.clientWidth, h = this.view.clientHeight, dpr = devicePixelRatio || 1;

		if (!w || !h || !this.parts.length)
			return;
		this.canvas.width = w * dpr;
		this.canvas.height = h * dpr;
		this.canvas.style.width = w + 'px';
		this.canvas.style.height = h + 'px';
		const g = this.canvas.getContext('2d'), css = getComputedStyle(this.host);

		g.scale(dpr, dpr);
		this.ink = css.getPropertyValue('--ink');
		this.pale = css.getPropertyValue('--pale');
		this.absent = css.getPropertyValue('--absent');
		this.drawn = 0;
		for (const p of this.parts)
			if (p.y + p.h > this.view.scrollTop && p.y < this.view.scrollTop + h)
				this.part(g, p, h);
	}

	part(g, p, height) {
		const [per, px] = ZOOM[this.zoom], cols = this.columns(this.zoom);
		const y0 = p.y - this.view.scrollTop, top = y0 + HEADING;
		const rows = this.rowsOf(p, this.zoom);

		g.font = '11.5px system-ui, sans-serif';
		g.fillStyle = this.ink;
		g.textBaseline = 'middle';
		g.fillText(p.title + (p.address ? `, ${size(p.bytes)}` : '') +
			(p.hole ? `  (after a hole of ${size(p.hole * PAGE)})` : '') +
			(p.note ? `  ${p.note}` : ''), 8, y0 + 8);
		const first = Math.max(0, Math.floor(-top / px));
		const last = Math.min(rows, Math.ceil((height - top) / px));
		const label = Math.max(1, Math.ceil(13 / px));

		g.font = '10.5px ui-monospace, monospace';
		for (let r = first; r < last; r++) {
			if (r % label === 0) {
				g.fillStyle = this.pale;
				g.fillText(this.where(p, p.first + r * cols * per), 8,
					top + r * px + Math.min(px, 13) / 2);
			}
			this.row(g, p, p.first + r * cols * per, top + r * px, cols, per, px);
		}
	}

	where(p, page) {
		return p.address ? '0x' + (BigInt(p.base) + BigInt(page) * BigInt(PAGE)).toString(16)
			: grouped.format(page);
	}

	row(g, p, page, y, cols, per, px) {
		const end = Math.min(page + cols * per, p.first + p.pages), gap = px > 5 ? 1 : 0;
		const cells = Math.ceil((end - page) / per);

		g.fillStyle = this.absent;
		if (gap)
			for (let c = 0; c < cells; c++)
				g.fillRect(GUTTER + c * px, y, px - 1, px - 1);
		else
			g.fillRect(GUTTER, y, cells * px, px);
		for (let i = firstRun(p.runs, page); i < p.runs.length && p.runs[i].at < end; i++) {
			const r = p.runs[i];
			const from = Math.max(0, Math.floor((r.at - page) / per));
			const to = Math.min(cells, Math.ceil((r.at + r.pages - page) / per));

			g.fillStyle = shade(r.kind, r.count);
			if (!gap) {
				g.fillRect(GUTTER + from * px, y, (to - from) * px, px);
				this.drawn += to - from;
				continue;
			}
			for (let c = from; c < to; c++)
				this.cell(g, r, GUTTER + c * px, y, px);
		}
	}

	cell(g, r, x, y, px) {
		g.fillStyle = shade(r.kind, r.count);
		g.fillRect(x, y, px - 1, px - 1);
		this.drawn++;
		if (px < 12)
			return;
		g.fillStyle = r.count > 1 ? '#10181f' : '#fff';
		g.textAlign = 'center';
		g.fillText(r.kind === 2 ? 's' : glyph(r.count), x + (px - 1) / 2, y + px / 2);
		g.textAlign = 'start';
	}

	// The page under the mouse, in words.
	under(e) {
		const box = this.view.getBoundingClientRect(), [per, px] = ZOOM[this.zoom];
		const y = e.clientY - box.top + this.view.scrollTop, x = e.clientX - box.left - GUTTER;
		const p = this.parts.find(q => q.y <= y && y < q.y + q.h), cols = this.columns(this.zoom);

		if (!p || x < 0 || x >= cols * px || y < p.y + HEADING)
			return '';
		const page = p.first + (Math.floor((y - p.y - HEADING) / px) * cols +
			Math.floor(x / px)) * per;

		return page < p.first + p.pages ? this.tell(p, page, per) : '';
	}

	tell(p, page, per) {
		const i = firstRun(p.runs, page), r = p.runs[i];
		const at = (p.address ? '' : per > 1 ? 'pages ' : 'page ') + this.where(p, page) +
			(per > 1 ? ` to ${this.where(p, page + per - 1)}` : '');

		if (!r || r.at >= page + per)
			return `${at}\nnot present`;
		const times = r.count === 1 ? 'once' : `${grouped.format(r.count)} times`;

		if (p.union)
			return `${at}\npresent in ${r.count} vma${r.count === 1 ? '' : 's'}`;
		return `${at}\n${KINDS[r.kind]}${r.count ? `, mapped ${times}` : ''}` +
			(r.writable ? ', by a writable entry' : '');
	}
}

// Index of the first run that ends after PAGE.
function firstRun(runs, page) {
	let lo = 0, hi = runs.length;

	while (lo < hi) {
		const mid = (lo + hi) >> 1;

		if (runs[mid].at + runs[mid].pages > page)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}
