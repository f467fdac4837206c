// SPDX-License-Identifier: GPL-3.0-or-later
// The tip under the mouse. There is one, and it goes as soon as what it tells may have
// changed: the next move of the mouse asks again. No element has a title of its own,
// because browsers go on showing the old one.

const hints = new WeakMap();	// element -> function of the event that gives the text

// TEXT: a function. Its result is shown while the mouse is on EL; '' shows nothing.
function hint(el, text) {
	hints.set(el, text);
}

function tipOf(e) {
	for (let el = e.target; el instanceof Element; el = el.parentElement) {
		const text = hints.get(el);

		if (text)
			return text(e);
		if (el.dataset.tip)
			return el.dataset.tip;
	}
	return '';
}

function showTip(x, y, text) {
	const tip = document.getElementById('tip');

	tip.textContent = text;
	tip.hidden = false;
	tip.style.left = Math.max(0, Math.min(x + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
	tip.style.top = Math.max(0, Math.min(y + 16, innerHeight - tip.offsetHeight - 8)) + 'px';
}

function hideTip() {
	document.getElementById('tip').hidden = true;
}

document.addEventListener('mousemove', e => {
	const text = tipOf(e);

	if (text)
		showTip(e.clientX, e.clientY, text);
	else
		hideTip();
});
document.documentElement.addEventListener('mouseleave', hideTip);
for (const type of ['scroll', 'wheel', 'click', 'keydown', 'input', 'change', 'resize', 'blur',
	'hashchange', 'beforeprint'])
	addEventListener(type, hideTip, { capture: true, passive: true });
