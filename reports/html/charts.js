// SPDX-License-Identifier: GPL-3.0-or-later
// The charts stand in the page as they were drawn (reports/charts/svg.c). What tells an
// amount has it as a number too, and is written again when the unit changes.

const amounts = [];

// TEXT as the parts before and after the amount AS in it; names come before.
function around(text, as) {
	const at = text.lastIndexOf(as);

	return [text.slice(0, at), text.slice(at + as.length)];
}

// The small amount after a thin bar must also be to the right of the thick bar's amount, which
// may have become longer. Digits are about 0.6 of their height wide.
function aside(el) {
	const other = el.previousElementSibling, number = (e, name) => Number(e.getAttribute(name));

	if (other.tagName !== 'text' || number(el, 'font-size') !== 7 || !other.dataset.bytes)
		return;
	el.dataset.x = el.dataset.x || el.getAttribute('x');
	el.setAttribute('x', Math.max(el.dataset.x, number(other, 'x') + 4 +
		0.6 * other.textContent.length * number(other, 'font-size')));
}

function startCharts() {
	for (const svg of document.querySelectorAll('#charts svg')) {
		const title = svg.querySelector('title');

		svg.setAttribute('aria-label', title.textContent);
		title.remove();
	}
	for (const el of document.querySelectorAll('#charts [data-bytes]')) {
		const title = el.querySelector('title'), bytes = Number(el.dataset.bytes);
		const [before, behind] = around((title || el).textContent, el.dataset.amount);

		if (title) {
			title.remove();
			hint(el, () => before + size(bytes));
		} else if (el.dataset.amount !== '0') {		// where the axis begins
			amounts.push(() => {
				el.textContent = before + size(bytes) + behind;
				aside(el);
			});
		}
	}
	drawCharts();
}

function drawCharts() {
	for (const write of amounts)
		write();
}
