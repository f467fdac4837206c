// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel's log: time, level and text in columns of one width of letters, long lines
// wrapped below their text, opened where the machine died.

const LEVELS = ['emerg', 'alert', 'crit', 'err', 'warn', 'notice', 'info', 'debug'];
const MOST_LINES = 50000;
const FEW_LINES = 4000;		// are all laid out at once

class Log {
	// lines: {key, ts, level, text}; crash: the key of the line that tells why, or null
	constructor(host, lines, crash, empty) {
		this.host = host;
		this.id = host.id;
		this.lines = lines.slice(-MOST_LINES);
		this.left = lines.length - this.lines.length;
		this.crash = crash;
		this.picked = null;
		this.stamped = lines.some(l => l.ts);
		this.build(empty);
		this.refilter();
	}

	build(empty) {
		const go = (text, key) => make('button', { onclick: () => this.reveal(key) }, text);
		this.elements = new Map();
		const first = this.lines[0], last = this.lines[this.lines.length - 1];

		this.count = make('span', { class: 'count' });
		this.filter = make('input', { type: 'search', placeholder: 'filter', 'aria-label':
			'Filter: Kernel log', oninput: () => {
			this.refilter();
			changed(false);
		} });
		const head = make('div', { class: 'pane-head' }, make('h2', {}, 'Kernel log'),
			make('span', { class: 'of' }, this.left ? `The first ${grouped.format(this.left)} ` +
				'lines are left out of this file: see report dmesg' : ''), this.filter, this.count);

		this.scroll = make('div', { class: 'scroll log', tabindex: '0', 'aria-label':
			'Kernel log' });
		this.host.replaceChildren(head, this.lines.length ? this.scroll
			: make('div', { class: 'empty' }, empty));
		if (!this.lines.length) {
			this.filter.hidden = this.count.hidden = true;
			return;
		}
		head.append(go('Start', first.key), ...(this.crash === null ? []
			: [go('Crash', this.crash)]), go('End', last.key));
		this.width = this.stamped ? Math.max(5, ...[first, last].map(l => this.whole(l).length))
			: 0;
		this.scroll.style.setProperty('--indent', (this.stamped ? this.width + 10 : 0) + 7 + 'ch');
		this.scroll.classList.toggle('many', this.lines.length > FEW_LINES);
		this.elements = new Map(this.lines.map(l => [l.key, this.line(l)]));
		this.scroll.append(make('div', { class: 'log-head' }, this.stamped
			? make('span', {}, 'seconds'.padStart(this.width + 8) + '  ') : '',
		make('span', {}, 'level  '), 'text'), ...this.elements.values());
	}

	whole(l) {
		return String(Math.floor(l.ts / 1e9));
	}

	stamp(l) {
		return `[${this.whole(l).padStart(this.width)}.` +
			`${String(Math.floor(l.ts / 1000) % 1e6).padStart(6, '0')}] `;
	}

	line(l) {
		const el = make('div', { class: 'line', 'data-key': l.key, 'data-level': l.level,
			onclick: () => {
				if (getSelection().isCollapsed) {
					this.mark(l.key);
					changed();
				}
			} }, this.stamped ? make('span', { class: 'ts' }, this.stamp(l)) : '',
		make('span', { class: 'level' }, (LEVELS[l.level] || String(l.level)).padEnd(7)),
		make('bdi', { class: 'text' }, l.text.replaceAll('\\x09', '\t')));

		el.classList.toggle('bad', l.level < 4);
		el.classList.toggle('crash', l.key === this.crash);
		return el;
	}

	refilter() {
		const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
		let n = 0;

		for (const l of this.lines) {
			const el = this.elements.get(l.key), text = el.textContent.toLowerCase();

			el.hidden = !words.every(w => text.includes(w));
			n += !el.hidden;
		}
		this.count.textContent = n === this.lines.length ? grouped.format(n)
			: `${grouped.format(n)} of ${grouped.format(this.lines.length)}`;
	}

	mark(key) {
		for (const [k, el] of [[this.picked, false], [key, true]])
			this.elements.get(k)?.classList.toggle('picked', el);
		this.picked = key;
	}

	// Moves the line to the upper third of the view, to show the lines before it. Twice:
	// lines that come into view may be higher than was assumed.
	reveal(key) {
		const el = this.elements.get(key);
		const go = () => {
			this.scroll.scrollTop += el.getBoundingClientRect().top -
				this.scroll.getBoundingClientRect().top - this.scroll.clientHeight / 3;
		};

		if (!el)
			return;
		go();
		if (this.lines.length > FEW_LINES)
			requestAnimationFrame(go);
	}

	state() {
		return { pick: this.picked === null ? null : String(this.picked + 1), sort: null,
			filter: this.filter.value };
	}

	restore({ pick, filter }) {
		const last = this.lines[this.lines.length - 1];

		if (!last)
			return;
		this.filter.value = filter || '';
		this.refilter();
		this.mark(pick === null ? null : Number(pick) - 1);
		this.reveal(this.picked ?? this.crash ?? last.key);
	}
}
