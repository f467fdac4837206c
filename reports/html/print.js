// SPDX-License-Identifier: GPL-3.0-or-later
// Paper: lists have all of their rows there, in light colours. page.css does the rest.

const MOST_PRINTED = 5000;	// rows of a list
let themeBefore = '';

function beforePrint() {
	themeBefore = document.documentElement.dataset.theme;
	setTheme(false);
	$('issues').open = true;
	$('paper').textContent = `${$(`tab-${shownView}`).textContent}, sizes in ${unit.name}`;
	for (const { l } of lists)
		l.print(MOST_PRINTED);
}

function afterPrint() {
	setTheme(themeBefore === 'dark');
	$('issues').open = false;
	for (const { l } of lists)
		l.draw(true);
}
