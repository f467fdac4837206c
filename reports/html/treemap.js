// SPDX-License-Identifier: GPL-3.0-or-later
// Areas for amounts: squarified (Bruls, Huizing, van Wijk 2000), two levels at a time.

// Rectangles for KIDS (largest first) in the box; areas are as their bytes.
function squarify(kids, x, y, w, h) {
	const total = kids.reduce((s, k) => s + k.bytes, 0), out = [];
	const scale = total > 0 ? w * h / total : 0;
	let i = 0;

	while (i < kids.length && w > 0 && h > 0) {
		const side = Math.min(w, h);
		let n = 0, sum = 0, worst = Infinity;

		while (i + n < kids.length) {
			const area = kids[i + n].bytes * scale, s = sum + area;
			const large = kids[i].bytes * scale;
			const ratio = Math.max(side * side * large / (s * s), s * s / (side * side * area));

			if (ratio > worst)
				break;
			worst = ratio;
			sum = s;
			n++;
		}
		const thick = sum / side;
		let at = 0;

		for (const k of kids.slice(i, i + n)) {
			const long = k.bytes * scale / thick;

			out.push(w >= h ? { k, x, y: y + at, w: thick, h: long }
				: { k, x: x + at, y, w: long, h: thick });
			at += long;
		}
		if (w >= h) {
			x += thick;
			w -= thick;
		} else {
			y += thick;
			h -= thick;
		}
		i += n;
	}
	return out;
}

// Areas that are too small to be seen become one, which says so.
function visible(kids, pixels) {
	const total = kids.reduce((s, k) => s + k.bytes, 0);
	const most = kids.filter((k, i) => i < 1200 && k.bytes / total * pixels >= 24);
	const few = kids.slice(most.length);

	if (few.length < 2)
		return kids;
	return most.concat({ name: `${few.length} smaller`, left: true,
		bytes: few.reduce((s, k) => s + k.bytes, 0) });
}

class Treemap {
	constructor(host, tree, opts) {
		this.host = host;
		this.tree = tree;
		this.opts = opts;
		this.at = tree;
		new ResizeObserver(() => this.draw()).observe(host);
		document.addEventListener('keydown', e => {
			if (e.key === 'Escape' && this.at !== this.tree && host.offsetParent)
				this.step(this.tree);
		});
	}

	// A step of the reader, to be restored.
	step(node) {
		this.go(node);
		changed();
	}

	go(node) {
		const focus = this.host.contains(document.activeElement);

		this.at = node;
		this.draw();
		this.opts.onmove(node);
		if (focus)
			this.host.querySelector('button')?.focus();
	}

	colour(node, parent, i) {
		const name = node.colour || (parent && parent.colour) || 'grey';
		const tint = { free: 'var(--absent)', yellow: '#f0e442' }[name] || `var(--${name})`;
		const mix = node.left ? 35 : parent ? [84, 70, 92, 76][i % 4] : 88;

		return name === 'free' ? tint : `color-mix(in srgb, ${tint} ${mix}%, white)`;
	}

	draw() {
		const w = this.host.clientWidth, h = this.host.clientHeight;

		hideTip();
		if (!w || !h)
			return;
		if (!this.tree.bytes) {
			this.host.replaceChildren(make('div', { class: 'empty' }, 'What the page frames ' +
				'hold is not known: struct pages were not found'));
			return;
		}
		const out = [];

		if (this.at.kids && this.at.kids.length) {
			const top = this.at === this.tree;

			squarify(visible(this.at.kids, w * h), 0, 0, w, h).forEach((r, i) => {
				if (top && r.k.kids && r.k.kids.length && r.w > 60 && r.h > 44)
					this.group(out, r);
				else
					out.push(this.button(r, top ? null : this.at, i));
			});
		} else {
			out.push(this.button({ k: this.at, x: 0, y: 0, w, h }, null, 0));
		}
		this.host.replaceChildren(...out);
	}

	group(out, r) {
		const head = this.button({ ...r, h: 19 }, null, 0), kids = visible(r.k.kids,
			r.w * (r.h - 18));
		const back = make('div', { class: 'back' });

		head.classList.add('group');
		head.dataset.area = r.w * r.h;
		back.style.background = head.style.background;
		this.place(back, r);
		out.push(back, head);
		squarify(kids, r.x + 1, r.y + 18, r.w - 3, r.h - 20).forEach((q, i) => {
			if (q.w > 2 && q.h > 2)
				out.push(this.button(q, r.k, i));
		});
	}

	button(r, parent, i) {
		const k = r.k, share = (100 * k.bytes / this.tree.bytes).toFixed(1);
		const el = make('button', { class: 'cell', 'data-bytes': k.bytes, 'data-name': k.name,
			'data-area': r.w * r.h, 'data-level': parent && parent !== this.at ? 2 : 1,
			'aria-label': `${k.name}${k.id ? ' ' + k.id : ''}, ${size(k.bytes)}`,
			onclick: () => this.open(k, parent) });

		this.place(el, r);
		el.style.background = this.colour(k, parent, i);
		if (k.colour === 'free' || k.left)
			el.style.color = 'var(--ink)';
		if (k.left)
			el.style.background = `color-mix(in srgb, ${this.colour({ ...k, left: false },
				parent, 0)} 30%, var(--panel))`;
		if (r.w > 34 && r.h > 15) {
			el.classList.add('told');
			el.append(make('bdi', {}, k.name.replace(/^\/.*\/(?=[^/])/, '')));
			if (r.h > 30 || (k.kids && k.kids.length && r.w > 110))
				el.append(make('small', {}, size(k.bytes)));
		}
		hint(el, () => `${k.name}${k.id ? ` (${k.id})` : ''}: ${size(k.bytes)}, ${share} %` +
			(k.about ? `\n${k.about}` : '') + (parent ? `\nin ${parent.name}` : ''));
		return el;
	}

	// By shares of the whole: on paper it has another size.
	place(el, r) {
		const w = this.host.clientWidth, h = this.host.clientHeight;

		el.style.left = 100 * r.x / w + '%';
		el.style.top = 100 * r.y / h + '%';
		el.style.width = 100 * Math.max(0, r.w - 1) / w + '%';
		el.style.height = 100 * Math.max(0, r.h - 1) / h + '%';
	}

	open(k, parent) {
		if (k.proc !== undefined || k.object !== undefined)
			this.opts.onopen(k);
		else if (k.kids && k.kids.length)
			this.step(k);
		else if (parent && parent !== this.at)
			this.step(parent);
	}

	// ---- what the address tells (links.js) ----

	state() {
		return { pick: this.at === this.tree ? null : this.at.name };
	}

	restore({ pick }) {
		this.go(this.tree.kids.find(k => k.name === pick) || this.tree);
	}
}
